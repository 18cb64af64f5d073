// Quantities beside what is expected of them: what an experiment's reproduction came to.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

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
