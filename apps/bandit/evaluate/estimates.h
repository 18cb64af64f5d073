// What policies would have earned on a log, with 95% intervals, from sums over its events.
//
//     ips       inverse propensities: the mean of y                          [Horvitz and Thompson 1952]
//     snips     self-normalised: the sum of y over that of w                 [Hajek 1971; Swaminathan and Joachims 2015]
//     robust    doubly robust: the mean of d                                 [Dudik, Langford and Li 2011]
//
// Terms as in opened_sums.h. Intervals are normal ones, 1.96 standard errors to both sides; that of snips is by the delta
// method. They say how sure the values are for other events of the same kind: of the model as it was learned, not of the
// learning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/apps/bandit/evaluate/opened_sums.h"
#include "sotto/apps/bandit/log/event_log.h"
#include "sotto/apps/bandit/log/log_weights.h"

namespace sotto::apps {

struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  static void describe(auto& self, auto&& field) {
    field("value", self.value);
    field("low", self.low);
    field("high", self.high);
  }
};

// Values are rewards of an event, in the log's own units.
struct PolicyValue {
  std::string policy;             // "model", "arm 0", ..., "log"
  std::optional<Estimate> ips;    // of the log: the mean of its rewards
  std::optional<Estimate> snips;  // absent where no event has the policy's arm
  std::optional<Estimate> robust;
  double effective_events = 0;  // (sum of w)^2 / sum of w^2: so many events of its own say as much

  static void describe(auto& self, auto&& field) {
    field("policy", self.policy);
    field.unless_empty("ips", self.ips);
    field.unless_empty("snips", self.snips);
    field.unless_empty("doubly_robust", self.robust);
    field("effective_events", self.effective_events);
  }
};

constexpr auto names_of(Propensities) {
  return std::array{std::pair{Propensities::logged, "logged"}, std::pair{Propensities::frequencies, "frequencies"}};
}

struct Evaluation {
  std::uint64_t learned = 0;    // events of the log
  std::uint64_t evaluated = 0;  // others
  Propensities propensities = Propensities::logged;
  double least_propensity = 0;
  std::uint64_t clipped = 0;  // events whose weight was cut to 1 / least_propensity
  std::vector<PolicyValue> policies;

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("propensities", self.propensities);
    field("least_propensity", self.least_propensity);
    field("clipped", self.clipped);
    field("policies", self.policies);
  }
};

// What the sums say of the model and of each arm, beside what the log alone says: event t, from `first` on, is row rows[t]
// of the log, with weights[t].
[[nodiscard]] std::vector<PolicyValue> policy_values(const OpenedSums& sums, const EventLog& log,
                                                     const std::vector<std::uint64_t>& rows,
                                                     const std::vector<double>& weights, std::uint64_t first);

}  // namespace sotto::apps
