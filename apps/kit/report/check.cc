#include "sotto/apps/kit/report/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sotto::apps {
namespace {

bool passed(const Check& check) { return check.passed; }

}  // namespace

FigureTable check_table(const std::vector<Check>& checks, const std::string& note) {
  FigureTable table("checks", "Beside the reference",
                    {{"figure", "figure"},
                     {"setting", "setting"},
                     {"quantity", "quantity"},
                     {"expected", "expected"},
                     {"ours", "ours"},
                     {"passed", "within"}});
  table.note(note);
  for (const Check& check : checks) {
    table.add({check.figure, check.setting, check.quantity, check.expected, check.ours, check.passed});
  }
  return table;
}

bool all_passed(const std::vector<Check>& checks) { return std::all_of(checks.begin(), checks.end(), passed); }

std::string verdict(const std::vector<Check>& checks) {
  return fmt::format("{} of {} figures are within what was expected of them",
                     std::count_if(checks.begin(), checks.end(), passed), checks.size());
}

nlohmann::ordered_json experiment_json(const std::string& name, const std::vector<Check>& checks,
                                       const std::string& verdict, double seconds, const Provenance& provenance,
                                       nlohmann::ordered_json settings, const std::vector<FigureTable>& tables) {
  nlohmann::ordered_json json{{"experiment", name},
                              {"status", "complete"},
                              {"verdict", verdict},
                              {"all_passed", all_passed(checks)},
                              {"seconds", seconds},
                              {"provenance", to_json(provenance)},
                              {"settings", std::move(settings)},
                              {"tables", nlohmann::ordered_json::object()}};
  for (const FigureTable& table : tables) json["tables"][table.key()] = table.to_json();
  return json;
}

}  // namespace sotto::apps
