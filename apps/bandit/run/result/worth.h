// The worth of a run: the first sentence of every result of the private bandit.
//
// In a simulation the sentence states the lift of the private run over uniform play, over a named arm, and over each
// company by itself. The companies are played in plain text on the same rows in the same order. Repeated runs have 95%
// intervals; if there is only one run, the sentence says that there is no interval.
//
// A difference that may be chance is never presented as a result. Whether joining is worth anything is decided by many
// plays in plain text: the mean of all companies together is compared with the mean of the best single company. Where
// the 95% interval of this difference reaches 0, the sentence says that joining is not shown to be worth anything.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"

namespace sotto::apps::bandit::run {

// How much more the run earned per step than something else.
struct Lift {
  std::string over;                    // "uniform play", "arm 3", "party 0 by itself"
  double earns = 0;                    // the average reward of the thing that is compared
  double lift = 0;                     // may be negative
  std::optional<double> half_width{};  // half the width of the 95% interval; absent for a single run

  static void describe(auto& self, auto&& field) {
    field("over", self.over);
    field("earns", self.earns);
    field("lift", self.lift);
    field("half_width", self.half_width);
  }
};

// The gain from joining in plain text: the mean of all companies together minus the mean of the best single company.
struct Joining {
  std::string best_part;  // the name of the best company
  double lift = 0;
  double half_width = 0;  // half the width of the 95% interval
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
  std::optional<Joining> joining;  // absent where no company was played by itself

  static void describe(auto& self, auto&& field) {
    field("sentence", self.sentence);
    field("lifts", self.lifts);
    field.unless_empty("joining", self.joining);
  }
};

// The plays of each company by itself. The last entry of result.parts is of all companies together.
[[nodiscard]] std::span<const PlainPlays> companies(const BanditResult& result);

// Absent for a run that failed, and for a run about a log (see log_verdict in page.h).
[[nodiscard]] std::optional<Worth> worth_of(const BanditResult& result);

// A sentence about worth in money, "At 30,000 events a month ...". If joining is shown to be worth something, the
// sentence is about joining. Otherwise it is about the lift of the run over the named arm, or over the first entry of
// `lifts`. Empty without terms of money or without a lift.
[[nodiscard]] std::string money_sentence(const BanditResult& result, const Worth& worth);

}  // namespace sotto::apps::bandit::run
