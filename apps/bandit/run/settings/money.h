// The worth of a reward in money.
#pragma once

#include <string>

namespace sotto::apps::bandit::run {

// The unit of money that a reward of 1 is worth, and the number of events per month.
struct MoneyTerms {
  std::string unit;  // such as EUR
  double events_per_month = 0;

  static void describe(auto& self, auto&& field) {
    field("unit", self.unit);
    field("events_per_month", self.events_per_month);
  }
};

}  // namespace sotto::apps::bandit::run
