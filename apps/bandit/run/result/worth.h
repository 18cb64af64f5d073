// The worth of a run. Every result begins with a sentence about this worth.
//
// A result never presents a difference that may be chance as a gain. The gain of joining is the average reward of all
// companies together minus that of the best single company, over many plays in plain text. The result presents this
// gain as shown only if its 95% interval lies above 0.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"

namespace sotto::apps::bandit::run {

struct Lift {
  std::string over;                    // such as "uniform play"
  double earns = 0;                    // average reward of the run
  double lift = 0;                     // average reward minus that of `over`; may be negative
  std::optional<double> half_width{};  // half the width of the 95% interval of `lift`

  static void describe(auto& self, auto&& field) {
    field("over", self.over);
    field("earns", self.earns);
    field("lift", self.lift);
    field("half_width", self.half_width);
  }
};

// All companies together, compared with the best single company.
struct Joining {
  std::string best_part;  // name of the best single company
  double lift = 0;
  double half_width = 0;  // half the width of the 95% interval of `lift`
  bool shown = false;     // whether the interval lies above 0

  static void describe(auto& self, auto&& field) {
    field("best_part", self.best_part);
    field("lift", self.lift);
    field("half_width", self.half_width);
    field("shown", self.shown);
  }
};

struct Worth {
  std::string sentence;
  std::vector<Lift> lifts;
  std::optional<Joining> joining;

  static void describe(auto& self, auto&& field) {
    field("sentence", self.sentence);
    field("lifts", self.lifts);
    field.unless_empty("joining", self.joining);
  }
};

[[nodiscard]] std::span<const PlainPlays> companies(const BanditResult& result);

[[nodiscard]] std::optional<Worth> worth_of(const BanditResult& result);

// For example "At 30,000 events a month ...". Empty if the run has no terms of money, or if `worth` contains no lift.
[[nodiscard]] std::string money_sentence(const BanditResult& result, const Worth& worth);

}  // namespace sotto::apps::bandit::run
