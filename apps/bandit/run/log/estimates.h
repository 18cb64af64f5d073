// The rewards that policies would have earned on a log, with 95% intervals, from counts of agreements.
//
// N is the number of evaluated events. A cell has the weight g, the reward r and H events whose logged arm is the
// policy's arm. H has noise of standard deviation tau (0 if H is known exactly). c is the log's mean reward. lo and hi
// are the smallest and the largest reward, and u = (r - lo) / (hi - lo). m is the largest number of rows of a subject.
// Each sum is over the cells.
//
//     value        c + (1/N) sum g (r - c) H          [Horvitz and Thompson 1952; control variate]
//     half(k)      sqrt(4 m s2 / N + (2.12 tau / N)^2 sum k^2)
//                  with s2 = max(0, sum k^2 H / N - (sum k H / N)^2) + tau sqrt(sum k^4) / N + 2 max k^2 / N
//     bounds       lo + (hi - lo) (1/N) sum g u H - half   to   hi - (hi - lo) (1/N) sum g (1 - u) H + half
//                                                                            [Manski 1990]
//     mean weight  W = (1/N) sum g H, with the standard error half(g) / 2
//     effective    (sum g H)^2 / sum g^2 H
//
// Let each cell have a number k, such as k = g (r - c). Then half(k) is the half-width of the interval of the mean
// (1/N) sum k H. If the policy itself had played, `effective` events would give an equally certain value.
//
// A normal variable lies within 2 standard errors of its mean with a probability of 95.4%. A Laplace variable lies
// within 2.12 standard deviations of its mean with a probability of 95%. The last two terms of s2 are margins for the
// noise in s2, and for two more events of the largest size. Intervals are cut to lo and hi. An interval is about the
// learned model, and does not say how certain the learning is. The values of fixed arms and of the log itself have no
// noise.
//
// In a log whose probabilities depend on the best arm, each cell has two counts (log_cells.h). All sums above are then
// over both, each with its own weight g. The owner of the log does not know the weight of a single event, so fixed arms
// have no value.
//
// A policy has a value only if each arm that it picks had a chance to be played. In that case the expected mean weight
// is 1:
// - If the mean weight is above 1 by more than 4 standard errors, the propensities are wrong, and no policy has a
// value.
// - If the mean weight is below 1 by more than half a standard error, the policy may pick arms that had no chance to be
// played. Such a policy has bounds instead of a value; in the bounds, an arm without a chance earns anything from lo to
// hi. The limit is only half a standard error, because even a gap that is too small to be seen shifts the value.
// - If each arm is known to have had a chance (LogWeights::full_support), the limit below 1 is 4 standard errors.
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
#include "apps/kit/dp/samplers.h"

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

enum class Support : std::uint8_t {
  shown,
  not_refuted,
  lacking,
  not_played,
  wrong_propensities,
  too_few_events,
  unknown_weights  // the weights depend on bits that only the parties have
};
constexpr auto names_of(Support) {
  return std::array{std::pair{Support::shown, "shown"},
                    std::pair{Support::not_refuted, "not refuted"},
                    std::pair{Support::lacking, "lacking"},
                    std::pair{Support::not_played, "not played"},
                    std::pair{Support::wrong_propensities, "wrong propensities"},
                    std::pair{Support::too_few_events, "too few events"},
                    std::pair{Support::unknown_weights, "unknown weights"}};
}

// The value of a policy, in the units of the log's rewards.
struct PolicyValue {
  std::string policy;  // such as "model"
  // A policy has a value if its support is "shown" or "not refuted", and bounds if its support is "lacking".
  Support support = Support::shown;
  std::optional<MeanWeight> mean_weight;
  std::optional<Estimate> value;
  std::optional<Bounds> bounds;  // a 95% interval
  double effective_events = 0;

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

[[nodiscard]] const PolicyValue* policy_of(const std::vector<PolicyValue>& values, std::string_view policy);

struct SegmentValues {
  std::string segment;
  std::uint64_t evaluated = 0;
  double noise_half_width = 0;
  std::vector<PolicyValue> policies;

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

struct CountedCell {
  std::optional<std::string> segment;
  double weight = 0;
  double reward = 0;  // in the units of the log's rewards
  std::uint64_t events = 0;
  std::int64_t agreed = 0;  // H, with noise
  // The second weight and count of the cell, if probabilities depend on the best arm. The first ones are then those of
  // the events whose arm was the best.
  std::optional<double> weight_otherwise{};
  std::optional<std::int64_t> agreed_otherwise{};

  static void describe(auto& self, auto&& field) {
    field.unless_empty("segment", self.segment);
    field("weight", self.weight);
    field("reward", self.reward);
    field("events", self.events);
    field("agreed", self.agreed);
    field.unless_empty("weight_otherwise", self.weight_otherwise);
    field.unless_empty("agreed_otherwise", self.agreed_otherwise);
  }
};

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

struct BitAnswer {
  bool model_beats_log = false;
  // If true, an arm without a known chance in the log earns the smallest reward. If false, it earns the log's mean
  // reward.
  bool at_worst = false;

  static void describe(auto& self, auto&& field) {
    field("model_beats_log", self.model_beats_log);
    field("at_worst", self.at_worst);
  }
};

struct Evaluation {
  std::uint64_t learned = 0;
  std::uint64_t evaluated = 0;
  Propensities propensities = Propensities::logged;
  double least_propensity = 0;
  std::uint64_t clipped = 0;          // number of events with a clipped weight
  std::uint64_t clipped_rewards = 0;  // number of events with a clipped reward
  std::vector<CountedCell> cells;     // empty if the answer is one bit
  std::optional<BitAnswer> answer;
  std::vector<AddedNoise> noise;
  double noise_half_width = 0;  // in the units of the log's rewards
  std::vector<PolicyValue> policies;
  std::optional<std::string> segment_column;
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

// Results with a larger epsilon are marked as weak.
inline constexpr double weak_count_epsilon = 2;

struct CountNoiseTerms {
  double tau = 0;          // standard deviation of the noise in a count
  std::uint64_t rows = 1;  // largest number of rows of a subject
};
// The scale of a holder's noise in each count. With `by_best`, a replaced row moves two counts, so the scale doubles.
// Throws std::invalid_argument for the same reasons as laplace_scale().
[[nodiscard]] Ratio count_noise_scale(const CountPrivacy& holder, bool by_best);
[[nodiscard]] CountNoiseTerms noise_terms(const std::vector<CountPrivacy>& holders, bool by_best = false);

// The log and the weights must outlive this struct.
struct EvaluatedLog {
  const EventLog& log;
  const std::vector<std::uint64_t>& rows;  // row of the log of each event
  std::uint64_t first;                     // number of the first evaluated event
  const LogWeights& weights;
  std::optional<RewardRange> range{};  // if empty, the range of the rewards in `rows`
};

// The half-width that the model's interval would have from noise alone, in the units of the log's rewards.
[[nodiscard]] double noise_half_width(const EvaluatedLog& evaluated, const LogCells& cells,
                                      const CountNoiseTerms& noise);
// Returns true if noise_half_width() is more than a twentieth of the range of rewards.
[[nodiscard]] bool noise_hides(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise);
// Throws InputError if noise_hides(). The error says how many events would be enough.
void require_events(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise);

[[nodiscard]] std::vector<PolicyValue> policy_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                                     const LogCells& cells, const CountNoiseTerms& noise);

[[nodiscard]] std::vector<PolicyValue> log_values(const EvaluatedLog& evaluated, const CountNoiseTerms& noise);

// The question of an evaluation in one bit: whether the model earned more than the log by more than half(k). This holds
// if e > N half(k), where k and e depend on full_support:
//   k = g (r - c),  e = sum k H                   if full_support is true: the log gave each arm a chance
//   k = g (r - lo), e = sum k H - N (c - lo)      if not; an arm without a chance then earns the smallest reward
// The question must be linear in H, but x(H) = (N half(k))^2 = 4 m sum k^2 H - (4 m / N) (sum k H)^2 + K is quadratic.
// K is the part of x(H) without H. So the question replaces sqrt(x(H)) by a linear upper bound. For any a, (sum k H)^2
// >= 2 a sum k H - a^2. For any y > 0, sqrt(x) <= (x + y) / (2 sqrt y), with equality at y = x. The question takes a
// and y from the case that the model earns exactly as much as the log: a is sum k H in this case, and y is the expected
// x(H). With two counts of each cell, the case is that the model agrees with the best arm in half of the events. A
// wrong case only makes a "yes" rarer. Because the bound is an upper bound, an answer of "yes" implies e > N half(k).
struct BitQuestion {
  CountQuestion question;
  bool at_worst = false;
};
[[nodiscard]] BitQuestion bit_question(const EvaluatedLog& evaluated, const LogCells& cells,
                                       const CountNoiseTerms& noise);

// For each evaluated event, whether the model's arm is the logged arm. If several arms have the largest score, the
// model's arm is the first of them.
[[nodiscard]] std::vector<bool> plaintext_agreements(PlaintextBandit& bandit, const ContextGetter& contexts,
                                                     const EvaluatedLog& evaluated);
[[nodiscard]] std::vector<PolicyValue> plaintext_values(const std::vector<bool>& agreements,
                                                        const EvaluatedLog& evaluated, std::uint64_t rows_of_subject);

}  // namespace sotto::apps::bandit::run
