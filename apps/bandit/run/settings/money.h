#pragma once

#include <string>

namespace sotto::apps::bandit::run {

// How much money a reward of 1 is worth.
struct MoneyTerms {
  std::string unit;  // currency, such as EUR
  double events_per_month = 0;

  static void describe(auto& self, auto&& field) {
    field("unit", self.unit);
    field("events_per_month", self.events_per_month);
  }
};

}  // namespace sotto::apps::bandit::run
