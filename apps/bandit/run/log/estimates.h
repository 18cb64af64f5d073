// The rewards that policies would have earned on a log, with 95% intervals, from counts of agreements.
//
// N is the number of events. g and r are a cell's weight and reward. H is the number of the cell's events whose logged
// arm is the policy's arm. H has noise of standard deviation tau (0 if H is known exactly). c is the log's mean reward.
// lo and hi are the smallest and the largest reward, and u = (r - lo) / (hi - lo). m is the most rows of a subject.
//
//     value        c + (1/N) sum g (r - c) H          [Horvitz and Thompson 1952; control variate]
//     half(k)      sqrt(4 m s2 / N + (2.12 tau / N)^2 sum k^2)
//                  for a mean with k per event, such as k = g (r - c)
//                  s2 = max(0, sum k^2 H / N - (sum k H / N)^2) + tau sqrt(sum k^4) / N + 2 max k^2 / N
//     bounds       lo + (hi - lo) (1/N) sum g u H - half   to   hi - (hi - lo) (1/N) sum g (1 - u) H + half
//                                                                            [Manski 1990]
//     mean weight  W = (1/N) sum g H, with the error half(g) / 2
//     effective    (sum g H)^2 / sum g^2 H events of the policy's own would show as much
//
// A normal variable lies within 2 standard errors of its mean with 95.4%. A Laplace variable lies within 2.12 standard
// deviations with 95%. The last two terms of s2 are a margin for the noise in s2, and a margin of two more events of
// the largest size. So no interval has width 0. Intervals are cut to lo and hi. An interval says how certain a value is
// for other events of the same kind. An interval is about the learned model; it does not say how certain the learning
// is. The values of fixed arms and of the log itself depend only on the log, without noise.
//
// A policy has a value only if each arm that it picks had a chance to be played. In that case the mean weight must be
// 1:
// - If it is above 1 by 4 errors, the propensities are wrong, and no policy has a value.
// - If it is below 1 by half an error, the policy picks arms that may have had no chance. Such a policy has bounds
//   instead of a value; in the bounds, an arm without a chance earns anything from lo to hi. The limit is only half an
//   error, because even a gap that is too small to be seen in the mean weight shifts the value.
// - If each arm is known to have had a chance (LogWeights::full_support), the limit below 1 is 4 errors instead of half
//   an error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/kit/deploy/announcement.h"

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
enum class Support : std::uint8_t { shown, not_refuted, lacking, not_played, wrong_propensities, too_few_events };
constexpr auto names_of(Support) {
  return std::array{std::pair{Support::shown, "shown"},
                    std::pair{Support::not_refuted, "not refuted"},
                    std::pair{Support::lacking, "lacking"},
                    std::pair{Support::not_played, "not played"},
                    std::pair{Support::wrong_propensities, "wrong propensities"},
                    std::pair{Support::too_few_events, "too few events"}};
}

// Values are rewards of an event, in the log's own units.
struct PolicyValue {
  std::string policy;  // "model", "arm 0", ..., "log"
  // The support of the log's own policy is "shown", because the log has the rewards of this policy. A policy has a
  // value if its support is "shown" or "not refuted". A policy also has bounds if its support is "lacking".
  Support support = Support::shown;
  std::optional<MeanWeight> mean_weight;  // absent for the log
  std::optional<Estimate> value;          // for the log: the mean of its rewards
  std::optional<Bounds> bounds;           // with 95%
  double effective_events = 0;            // so many events of the policy's own play would show as much

  [[nodiscard]] bool has_value() const { return support == Support::shown || support == Support::not_refuted; }

  static void describe(auto& self, auto&& field) {
    field("policy", self.policy);
    field("support", self.support);
    field.unless_empty("mean_weight", self.mean_weight);
    field.unless_empty("value", self.value);
    field.unless_empty("bounds", self.bounds);
    field("effective_events", self.effective_events);
  }
};

// The value of the policy with this name, or null.
[[nodiscard]] const PolicyValue* policy_of(const std::vector<PolicyValue>& values, std::string_view policy);

// The values of the events of a segment (segments.h).
struct SegmentValues {
  std::string segment;
  std::uint64_t evaluated = 0;
  double noise_half_width = 0;        // as in Evaluation, for the model's value in this segment
  std::vector<PolicyValue> policies;  // if noise hides the value of the model, its support is "too few events"

  static void describe(auto& self, auto&& field) {
    field("segment", self.segment);
    field("evaluated", self.evaluated);
    field("noise_half_width", self.noise_half_width);
    field("policies", self.policies);
  }
};

constexpr auto names_of(Propensities) {
  return std::array{std::pair{Propensities::logged, "logged"}, std::pair{Propensities::frequencies, "frequencies"}};
}

// A cell of the log, and the number of agreements in this cell.
struct CountedCell {
  std::optional<std::string> segment;
  double weight = 0;
  double reward = 0;         // in the log's own units
  std::uint64_t events = 0;  // number of events, which the owner of the log knows
  std::int64_t agreed = 0;   // number of agreements, with noise, so it may be negative

  static void describe(auto& self, auto&& field) {
    field.unless_empty("segment", self.segment);
    field("weight", self.weight);
    field("reward", self.reward);
    field("events", self.events);
    field("agreed", self.agreed);
  }
};

// A role that added noise to the counts, and its terms.
struct AddedNoise {
  std::string role;
  CountPrivacy privacy;

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field("epsilon", self.privacy.epsilon);
    field("rows_per_subject", self.privacy.rows);
    field("counted", self.privacy.counted);
    field("learning_epsilon", self.privacy.learning_epsilon);
    field("learning_delta", self.privacy.learning_delta);
    field("uncovered_learning", self.privacy.uncovered_learning);
  }
};

// The answer of an evaluation in one bit (bit_question).
struct BitAnswer {
  bool model_beats_log = false;
  // Whether an arm that may have had no chance in the log is taken to earn the smallest reward, and not the log's mean
  // reward.
  bool at_worst = false;

  static void describe(auto& self, auto&& field) {
    field("model_beats_log", self.model_beats_log);
    field("at_worst", self.at_worst);
  }
};

struct Evaluation {
  std::uint64_t learned = 0;    // number of events of the log that are learned
  std::uint64_t evaluated = 0;  // number of the log's other events
  Propensities propensities = Propensities::logged;
  double least_propensity = 0;
  std::uint64_t clipped = 0;          // number of events whose weight was cut to 1 / least_propensity
  std::uint64_t clipped_rewards = 0;  // number of events of the log whose reward was cut to the scale
  std::vector<CountedCell> cells;     // empty if the answer is one bit
  std::optional<BitAnswer> answer;    // if set, `policies` does not contain the model
  std::vector<AddedNoise> noise;      // empty for the plain-text twin
  double noise_half_width = 0;        // half-width of the model's interval from noise alone, in units of the log
  std::vector<PolicyValue> policies;
  std::optional<std::string> segment_column;  // name of the log column of segments
  std::vector<SegmentValues> segments;

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("propensities", self.propensities);
    field("least_propensity", self.least_propensity);
    field("clipped", self.clipped);
    field("clipped_rewards", self.clipped_rewards);
    field("cells", self.cells);
    field.unless_empty("answer", self.answer);
    field("noise", self.noise);
    field("noise_half_width", self.noise_half_width);
    field("policies", self.policies);
    field.unless_empty("segment_column", self.segment_column);
    field.unless_empty("segments", self.segments);
  }
};

// Results with an epsilon above this number are stamped as weak wherever they are shown.
inline constexpr double weak_count_epsilon = 2;

// The noise of all holders in one count.
struct CountNoiseTerms {
  double tau = 0;          // standard deviation
  std::uint64_t rows = 1;  // the most rows of a subject
};
[[nodiscard]] CountNoiseTerms noise_terms(const std::vector<CountPrivacy>& holders);

// The facts that the owner of the log knows about an evaluation before anything is counted. All referenced objects must
// outlive the EvaluatedLog.
struct EvaluatedLog {
  const EventLog& log;
  const std::vector<std::uint64_t>& rows;  // event t is row rows[t]
  std::uint64_t first;                     // the first evaluated event
  const LogWeights& weights;
  std::optional<RewardRange> range{};  // range of rewards; if absent, the range in the rows
};

// The half-width that the model's interval would have from noise alone, in units of the log.
[[nodiscard]] double noise_half_width(const EvaluatedLog& evaluated, const LogCells& cells,
                                      const CountNoiseTerms& noise);
// Whether this half-width is more than a twentieth of the range of rewards. In that case counting is useless.
[[nodiscard]] bool noise_hides(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise);
// Throws InputError if noise_hides(), and says how many events would be enough.
void require_events(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise);

// The value of the model, from the counts, and the values of each arm and of the log, from only the log.
[[nodiscard]] std::vector<PolicyValue> policy_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                                     const LogCells& cells, const CountNoiseTerms& noise);

// The values of each arm and of the log, which depend only on the log.
[[nodiscard]] std::vector<PolicyValue> log_values(const EvaluatedLog& evaluated, const CountNoiseTerms& noise);

// The question of an evaluation in one bit: whether the model earned more than the log, by more than the interval. Let
// e be the sum that the question is about. The question is whether e > half(k) N:
//   k = g (r - c), e = sum k H                    where the log gave each arm a chance (full_support), else
//   k = g (r - lo), e = sum k H - N (c - lo)      so that an arm without a chance earns the least reward.
// (half N)^2 = x(H) = 4 m sum k^2 H - (4 m / N) (sum k H)^2 + K is not a linear map of H, but it has a linear upper
// bound. (sum k H)^2 >= 2 a sum k H - a^2 for any a, and sqrt(x) <= (x + y) / (2 sqrt y) for any y > 0, with equality
// at y = x. a and y are the values that are to be expected from the log. So the answer is "yes" only if the interval
// also says so. Computing the answer takes one inner product and one comparison.
struct BitQuestion {
  CountQuestion question;
  bool at_worst = false;
};
[[nodiscard]] BitQuestion bit_question(const EvaluatedLog& evaluated, const LogCells& cells,
                                       const CountNoiseTerms& noise);

// The plain-text twin of an evaluation, in double precision on open data. It is exact, because each event is a cell of
// its own.

// For each evaluated event, whether the model's arm is the arm of the log. `bandit` learns the events before the
// evaluated events. The context of event t is that of row rows[t]. If several arms have the largest score, the first of
// them is the model's arm.
[[nodiscard]] std::vector<bool> plaintext_agreements(PlaintextBandit& bandit, const ContextGetter& contexts,
                                                     const EvaluatedLog& evaluated);
[[nodiscard]] std::vector<PolicyValue> plaintext_values(const std::vector<bool>& agreements,
                                                        const EvaluatedLog& evaluated, std::uint64_t rows_of_subject);

}  // namespace sotto::apps::bandit::run
