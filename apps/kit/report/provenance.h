// Where figures come from: what was run, of which commit, on which machine, and how busy that was.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/kit/report/table.h"

namespace sotto::apps {

struct Provenance {
  std::string command;  // as the user typed it
  std::string version;
  std::string commit;            // of the sources that were built; "-dirty" where they had changes on top,
                                 // "unknown" where they are in no git repository
  std::string compiler;          // and the build type
  std::string cpu;               // "unknown" where the system does not say
  unsigned cores = 0;            // that this process may use
  std::string kernels;           // the table in use, core/ring/kernels.h
  std::string system;            // "Linux 6.1.0"
  std::string date;              // UTC, ISO 8601
  std::array<double, 3> load{};  // load average over 1, 5 and 15 minutes
};

// Of this process, now: to be called before anything is measured.
[[nodiscard]] Provenance take_provenance();

// Some lines, each ended by a newline; and a list in Markdown, with the command as a block of code.
[[nodiscard]] std::string to_text(const Provenance& provenance);
[[nodiscard]] std::string to_markdown(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);

// What one measurement prints: where its figures come from, and its tables. JSON: {"bench": name, "provenance": {...},
// "tables": {key: [{column: figure}, ...], ...}}. Markdown: a page for bench/results/.
struct Page {
  std::string name;   // of the measurement, "floor"
  std::string title;  // of the Markdown page
  std::string about;  // what was measured, and how: a paragraph
  Provenance provenance;
  std::vector<FigureTable> tables;
};

[[nodiscard]] std::string to_text(const Page& page);
[[nodiscard]] std::string to_markdown(const Page& page);
[[nodiscard]] nlohmann::ordered_json to_json(const Page& page);

// A quantity beside what is expected of it: what an experiment's reproduction came to.
struct Check {
  std::string figure;    // of the paper
  std::string setting;   // "noise sd 0.05"
  std::string quantity;  // "regret of VFUCB"
  std::string expected;  // in words: "18.4 +- 2.2"
  std::string ours;
  bool passed = false;
};

// The key is "checks"; `note` says what "within" means.
[[nodiscard]] FigureTable check_table(const std::vector<Check>& checks, const std::string& note);

[[nodiscard]] bool all_passed(const std::vector<Check>& checks);
// "18 of 22 figures are within what was expected of them".
[[nodiscard]] std::string verdict(const std::vector<Check>& checks);

// What every experiment's run.json begins with: experiment, status, verdict, all_passed, seconds, provenance, settings
// and the tables by their keys.
[[nodiscard]] nlohmann::ordered_json experiment_json(const std::string& name, const std::vector<Check>& checks,
                                                     const std::string& verdict, double seconds,
                                                     const Provenance& provenance, nlohmann::ordered_json settings,
                                                     const std::vector<FigureTable>& tables);

}  // namespace sotto::apps
