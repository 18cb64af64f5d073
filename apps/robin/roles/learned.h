// What each role of a ROBIN run learns, in words, for run.json and report.html. docs/privacy.md has the arguments.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sotto::apps {

// (role, sentence): aggregator, client, whoever reads the broadcasts. `local`: without any release.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> robin_learned(bool local);

// The line to stamp on whatever shows results of ROBIN.
[[nodiscard]] std::string robin_headline(bool local);

}  // namespace sotto::apps
