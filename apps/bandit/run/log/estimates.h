// What policies would have earned on a log, with 95% intervals, from sums over its events.
//
//     ips       inverse propensities: the mean of y                          [Horvitz and Thompson 1952]
//     snips     self-normalised: the sum of y over that of w                 [Hajek 1971; Swaminathan, Joachims 2015]
//     robust    doubly robust: the mean of d                                 [Dudik, Langford and Li 2011]
//     bounds    from the mean of lo + w (r - lo) to that of hi - w (hi - r)  [Manski 1990]
//
// Terms as in private_evaluation.h; lo and hi are the least and the largest reward of the log. Intervals are normal
// ones, 1.96 standard errors to both sides, to which two more events of the largest weight are added, so that none has
// width 0; that of snips is by the delta method. They are cut to lo and hi. They say how sure the values are for other
// events of the same kind, each by itself: of the model as it was learned, not of the learning.
//
// A value needs a chance for each arm that the policy picks. So the mean weight, the mean of w, must be 1:
// - above 1 by 4 standard errors: propensities are wrong, and no policy has a value;
// - below 1 by half an error: the policy picks arms that may have had no chance. It has bounds instead, in which such
//   an arm earns anything from lo to hi. Half an error, as a small gap hides in a mean weight and shifts the value;
// - where each arm is known to have had a chance (LogWeights::full_support), below 1 by 4 errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/log_weights.h"

namespace sotto::apps::bandit::run {

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

struct Bounds {
  double low = 0;
  double high = 0;

  static void describe(auto& self, auto&& field) {
    field("low", self.low);
    field("high", self.high);
  }
};

struct MeanWeight {
  double value = 0;
  double error = 0;  // one standard error

  static void describe(auto& self, auto&& field) {
    field("value", self.value);
    field("error", self.error);
  }
};

// Whether the log gave a chance to the arms that a policy picks.
enum class Support : std::uint8_t { shown, not_refuted, lacking, not_played, wrong_propensities };
constexpr auto names_of(Support) {
  return std::array{std::pair{Support::shown, "shown"}, std::pair{Support::not_refuted, "not refuted"},
                    std::pair{Support::lacking, "lacking"}, std::pair{Support::not_played, "not played"},
                    std::pair{Support::wrong_propensities, "wrong propensities"}};
}

// Values are rewards of an event, in the log's own units.
struct PolicyValue {
  std::string policy;  // "model", "arm 0", ..., "log"
  // Of the log it is shown, as are its rewards. Values are there where support is shown or not refuted; bounds also
  // where it is lacking.
  Support support = Support::shown;
  std::optional<MeanWeight> mean_weight;  // not of the log
  std::optional<Estimate> ips;            // of the log: the mean of its rewards
  std::optional<Estimate> snips;
  std::optional<Estimate> robust;
  std::optional<Bounds> bounds;  // with 95%
  double effective_events = 0;   // (sum of w)^2 / sum of w^2: so many events of its own say as much

  [[nodiscard]] bool has_value() const { return support == Support::shown || support == Support::not_refuted; }

  static void describe(auto& self, auto&& field) {
    field("policy", self.policy);
    field("support", self.support);
    field.unless_empty("mean_weight", self.mean_weight);
    field.unless_empty("ips", self.ips);
    field.unless_empty("snips", self.snips);
    field.unless_empty("doubly_robust", self.robust);
    field.unless_empty("bounds", self.bounds);
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
  std::uint64_t clipped = 0;          // events whose weight was cut to 1 / least_propensity
  std::uint64_t clipped_rewards = 0;  // events of the log whose reward was cut to the scale
  std::vector<PolicyValue> policies;

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("propensities", self.propensities);
    field("least_propensity", self.least_propensity);
    field("clipped", self.clipped);
    field("clipped_rewards", self.clipped_rewards);
    field("policies", self.policies);
  }
};

// What the sums say of the model and of each arm, beside what the log alone says: event t, from `first` on, is row
// rows[t] of the log, with weights.weights[t].
[[nodiscard]] std::vector<PolicyValue> policy_values(const OpenedSums& sums, const EventLog& log,
                                                     const std::vector<std::uint64_t>& rows, const LogWeights& weights,
                                                     std::uint64_t first);

// The plain-text twin of an evaluation: the same sums, in double precision on open data.

// `bandit` learns the first `learned` events, and the sums are over the others; event t is row rows[t] of the log, its
// context that of the row. Ties go to the first arm.
[[nodiscard]] OpenedSums plaintext_evaluation(PlaintextBandit& bandit, const ContextGetter& contexts,
                                              const EventLog& log, const std::vector<std::uint64_t>& rows,
                                              const std::vector<double>& weights, std::uint64_t learned);

}  // namespace sotto::apps::bandit::run
