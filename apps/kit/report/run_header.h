// The common part of the results of all programs: how a run ended, the origin of the run, its inputs and the costs of
// its roles. The result of a program is a RunHeader and the program's own fields. The file run.json has all these
// fields in one object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/table.h"

namespace sotto::apps {

enum class RunStatus : std::uint8_t { complete, refused, failed };
constexpr auto names_of(RunStatus) {
  return std::array{std::pair{RunStatus::complete, "complete"}, std::pair{RunStatus::refused, "refused"},
                    std::pair{RunStatus::failed, "failed"}};
}

// The names of the insecure switches (for tests only) that were set. Each of these switches makes a run unsafe.
[[nodiscard]] inline std::vector<std::string> insecure_switches(bool seed, bool plaintext) {
  std::vector<std::string> names;
  if (seed) names.emplace_back("insecure-seed");
  if (plaintext) names.emplace_back("insecure-plaintext");
  return names;
}

struct RunHeader {
  RunStatus status = RunStatus::complete;
  std::optional<std::string> error{};  // one line if the run failed or was refused
  std::string version{};
  std::string command{};                // the command as the user typed it
  std::string started{};                // time of the start in UTC, ISO 8601
  std::vector<std::string> insecure{};  // "insecure-seed", ...: switches that make this run unsafe

  // Sets the version and the command from this process, and the start from `time`.
  void stamp(const std::string& time);
  void fail(const std::string& why) {
    status = RunStatus::failed;
    error = why;
  }

  static void describe(auto& self, auto&& field) {
    field("status", self.status);
    field.unless_empty("error", self.error);
    field("version", self.version);
    field("command", self.command);
    field("started", self.started);
    field("insecure", self.insecure);
  }
};

// The input of one party: the features that the party adds to the context.
struct PartyInput {
  std::string name;
  std::string file;
  std::size_t features = 0;
  double max_norm = 0;

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("file", self.file);
    field("features", self.features);
    field("max_norm", self.max_norm);
  }
};

// The resources that the process of a role used.
struct RoleCost {
  std::string role;
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;  // maximum of resident memory; the largest one for repeated runs
  std::optional<std::uint64_t> bytes_sent{};

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field.unless_empty("bytes_sent", self.bytes_sent);
    field("cpu_seconds", self.cpu_seconds);
    field("peak_memory_bytes", self.peak_memory_bytes);
  }
};

// The common part of the reports of all roles. The report of a role is a RoleHeader and the role's own fields. Only the
// launcher of a local run collects the reports of all roles.
struct RoleHeader {
  std::string role{};                   // "party 0", "active participant", "shuffler", ...
  std::vector<std::string> insecure{};  // insecure switches, as in RunHeader

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field("insecure", self.insecure);
  }
};

// The header of the report of a role that plays in rounds.
struct RoundsHeader : RoleHeader {
  // `rounds` and `bytes_sent` are measured on the links; `planned_bytes_sent` is the plan's prediction. `bytes_sent`
  // and `planned_bytes_sent` include headers.
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t planned_bytes_sent = 0;

  double setup_seconds = 0;  // time for connecting and for the handshake
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;

  static void describe(auto& self, auto&& field) {
    RoleHeader::describe(self, field);
    field("rounds", self.rounds);
    field("bytes_sent", self.bytes_sent);
    field("planned_bytes_sent", self.planned_bytes_sent);
    field("setup_seconds", self.setup_seconds);
    field("cpu_seconds", self.cpu_seconds);
    field("peak_memory_bytes", self.peak_memory_bytes);
  }
};

// The origin of figures: the command, the commit, the machine, and the load of the machine.

struct Provenance {
  std::string command;  // the command as the user typed it
  std::string version;
  // commit of the sources that were built; ends with "-dirty" if the sources had further changes, and is "unknown" if
  // the sources are in no git repository
  std::string commit;
  std::string compiler;          // name and version, with the build type
  std::string cpu;               // name of the CPU; "unknown" if the system does not say
  unsigned cores = 0;            // cores that this process may use
  std::string kernels;           // name of the table of kernels in use, core/ring/kernels.h
  std::string system;            // "Linux 6.1.0"
  std::string date;              // time in UTC, ISO 8601
  std::array<double, 3> load{};  // load average over 1, 5 and 15 minutes
};

// The provenance of this process now. Call take_provenance() before anything is measured.
[[nodiscard]] Provenance take_provenance();

// The provenance as lines of text, as a list in Markdown with the command as a block of code, and as JSON.
[[nodiscard]] std::string to_text(const Provenance& provenance);
[[nodiscard]] std::string to_markdown(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);

// The output of one measurement: the origin of its figures, and its tables. The JSON is {"bench": name, "provenance":
// {...}, "tables": {key: [{column: figure}, ...], ...}}. The Markdown is a page for bench/results/.
struct Page {
  std::string name;   // name of the measurement: "floor"
  std::string title;  // title of the Markdown page
  std::string about;  // a paragraph that says what was measured and how
  Provenance provenance;
  std::vector<FigureTable> tables;
};

[[nodiscard]] std::string to_text(const Page& page);
[[nodiscard]] std::string to_markdown(const Page& page);
[[nodiscard]] nlohmann::ordered_json to_json(const Page& page);

// A quantity, its expected value, and the value that a reproduction of the experiment gave.
struct Check {
  std::string figure;    // the figure of the paper
  std::string setting;   // the setting of the experiment: "noise sd 0.05"
  std::string quantity;  // "regret of VFUCB"
  std::string expected;  // the expected value in words: "18.4 +- 2.2"
  std::string ours;
  bool passed = false;
};

// A table with the key "checks". `note` explains the meaning of "within".
[[nodiscard]] FigureTable check_table(const std::vector<Check>& checks, const std::string& note);

[[nodiscard]] bool all_passed(const std::vector<Check>& checks);
// Text such as "18 of 22 figures are within what was expected of them".
[[nodiscard]] std::string verdict(const std::vector<Check>& checks);

}  // namespace sotto::apps
