#include "apps/bandit/run/log/estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

// Half of a 95% interval, in standard errors of a normal variable and in deviations of a Laplace variable.
constexpr double errors_of_interval = 2;
const double deviations_of_noise = std::log(20) / std::sqrt(2);
constexpr double errors_that_refute = 4;
constexpr double errors_that_lack = .5;
constexpr double further_events = 2;
constexpr double most_noise = .05;  // as a fraction of the range of rewards

struct Agreed {
  double weight = 0;
  double reward = 0;  // divided by the reward scale
  double count = 0;
};

struct Terms {
  double events = 0;
  double scale = 1;
  RewardRange range;
  double mean_reward = 0;  // c, the mean reward of the log
  bool full_support = false;
  double rows = 1;  // m, the most rows of a subject
};

Terms terms_of(const EvaluatedLog& evaluated, std::uint64_t rows) {
  Terms terms;
  terms.events = static_cast<double>(evaluated.rows.size() - evaluated.first);
  terms.scale = evaluated.log.reward_scale();
  terms.range = evaluated.range ? *evaluated.range : reward_range(evaluated.log, evaluated.rows);
  terms.full_support = evaluated.weights.full_support;
  terms.rows = static_cast<double>(rows);
  for (std::uint64_t event = evaluated.first; event < evaluated.rows.size(); ++event) {
    terms.mean_reward += evaluated.log.reward(evaluated.rows[event]) / terms.events;
  }
  return terms;
}

struct Mean {
  double value = 0;
  double half = 0;
};

template <class Factor>
Mean mean_of(std::span<const Agreed> cells, const Terms& terms, double tau, Factor&& factor) {
  double sum = 0;
  double squares = 0;
  double of_noise = 0;
  double of_noise_in_squares = 0;
  double largest = 0;
  for (const Agreed& cell : cells) {
    const double k = factor(cell);
    sum += k * cell.count / terms.events;
    squares += k * k * cell.count / terms.events;
    of_noise += k * k;
    of_noise_in_squares += k * k * k * k;
    largest = std::max(largest, k * k);
  }
  const double spread = std::max(0., squares - sum * sum) + tau * std::sqrt(of_noise_in_squares) / terms.events +
                        further_events * largest / terms.events;
  const double noise = deviations_of_noise * tau / terms.events;
  return {sum, std::sqrt(errors_of_interval * errors_of_interval * terms.rows * spread / terms.events +
                         noise * noise * of_noise)};
}

double mean_weight(const Agreed& cell) { return cell.weight; }

Support support_of(const MeanWeight& mean, const Terms& terms) {
  if (mean.value - 1 > errors_that_refute * mean.error) return Support::wrong_propensities;
  const double lacks = terms.full_support ? errors_that_refute : errors_that_lack;
  if (1 - mean.value > lacks * mean.error) return Support::lacking;
  return terms.full_support ? Support::shown : Support::not_refuted;
}

Bounds reward_bounds(std::span<const Agreed> cells, const Terms& terms, double tau) {
  const auto [low, high] = terms.range;
  const Mean earned =
      mean_of(cells, terms, tau, [low = low](const Agreed& cell) { return cell.weight * (cell.reward - low); });
  const Mean missed =
      mean_of(cells, terms, tau, [high = high](const Agreed& cell) { return cell.weight * (high - cell.reward); });
  return {terms.scale * std::clamp(low + earned.value - earned.half, low, high),
          terms.scale * std::clamp(high - missed.value + missed.half, low, high)};
}

Estimate estimate_of(std::span<const Agreed> cells, const Terms& terms, double tau) {
  const Mean gain =
      mean_of(cells, terms, tau, [&](const Agreed& cell) { return cell.weight * (cell.reward - terms.mean_reward); });
  const double value = terms.mean_reward + gain.value;
  const auto cut = [&](double x) { return terms.scale * std::clamp(x, terms.range.low, terms.range.high); };
  return {cut(value), cut(value - gain.half), cut(value + gain.half)};
}

double effective_events(std::span<const Agreed> cells) {
  double sum = 0;
  double squares = 0;
  for (const Agreed& cell : cells) {
    sum += cell.weight * cell.count;
    squares += cell.weight * cell.weight * cell.count;
  }
  return sum > 0 && squares > 0 ? sum * sum / squares : 0;
}

PolicyValue value_of(std::string policy, std::span<const Agreed> cells, const Terms& terms, double tau) {
  PolicyValue value;
  value.policy = std::move(policy);
  const Mean weight = mean_of(cells, terms, tau, mean_weight);
  value.mean_weight = MeanWeight{weight.value, weight.half / errors_of_interval};
  value.support = support_of(*value.mean_weight, terms);
  if (value.support == Support::wrong_propensities) return value;
  value.bounds = reward_bounds(cells, terms, tau);
  value.effective_events = std::min(effective_events(cells), terms.events);
  if (value.has_value()) value.value = estimate_of(cells, terms, tau);
  return value;
}

// The propensities are the same for all policies. If the mean weight of one policy shows that they are wrong, no policy
// has a value.
void withdraw_if_wrong(std::vector<PolicyValue>& values) {
  const auto is_wrong = [](const PolicyValue& value) { return value.support == Support::wrong_propensities; };
  if (std::none_of(values.begin(), values.end(), is_wrong)) return;
  for (PolicyValue& value : values) {
    if (value.support == Support::not_played) continue;
    value.support = Support::wrong_propensities;
    value.value = std::nullopt;
    value.bounds = std::nullopt;
  }
}

std::vector<PolicyValue> with_log(std::vector<PolicyValue> values, const EvaluatedLog& evaluated, const Terms& terms) {
  const EventLog& log = evaluated.log;
  std::vector<std::vector<Agreed>> arms(log.arm_count());
  std::vector<Agreed> all;
  for (std::uint64_t event = evaluated.first; event < evaluated.rows.size(); ++event) {
    const std::uint64_t row = evaluated.rows[event];
    arms[log.arm(row)].push_back({evaluated.weights.weights[event], log.reward(row), 1});
    all.push_back({1, log.reward(row), 1});
  }
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    std::string name = "arm " + log.arm_name(arm);
    if (!arms[arm].empty() && !evaluated.weights.by_best()) {
      values.push_back(value_of(std::move(name), arms[arm], terms, 0));
    } else {
      values.emplace_back().policy = std::move(name);
      values.back().support = arms[arm].empty() ? Support::not_played : Support::unknown_weights;
    }
  }
  withdraw_if_wrong(values);
  PolicyValue of_log;
  of_log.policy = "log";
  of_log.value = estimate_of(all, terms, 0);
  of_log.effective_events = terms.events;
  values.push_back(std::move(of_log));
  return values;
}

std::vector<PolicyValue> values_of(std::span<const Agreed> agreed, const EvaluatedLog& evaluated, const Terms& terms,
                                   double tau) {
  return with_log({value_of("model", agreed, terms, tau)}, evaluated, terms);
}

// All counts of the cells, in the order of OpenedCounts: first OpenedCounts::agreed, then OpenedCounts::otherwise.
std::vector<Agreed> agreed_of(const LogCells& cells) {
  std::vector<Agreed> agreed;
  for (std::size_t cell = 0; cell < cells.count(); ++cell) {
    agreed.push_back({cells.weight(cell), cells.reward(cell), 0});
  }
  for (std::size_t cell = 0; cells.by_best() && cell < cells.count(); ++cell) {
    agreed.push_back({cells.weight_otherwise(cell), cells.reward(cell), 0});
  }
  return agreed;
}

struct NoiseAlone {
  double half = 0;
  double range = 0;

  [[nodiscard]] bool hides() const { return half > most_noise * range; }
};

NoiseAlone noise_alone(const Terms& terms, const LogCells& cells, const CountNoiseTerms& noise) {
  double squares = 0;
  for (const Agreed& cell : agreed_of(cells)) {
    const double k = cell.weight * (cell.reward - terms.mean_reward);
    squares += k * k;
  }
  return {terms.scale * deviations_of_noise * noise.tau * std::sqrt(squares) / terms.events,
          terms.scale * terms.range.width()};
}

}  // namespace

const PolicyValue* policy_of(const std::vector<PolicyValue>& values, std::string_view policy) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const PolicyValue& v) { return v.policy == policy; });
  return found == values.end() ? nullptr : &*found;
}

Ratio count_noise_scale(const CountPrivacy& holder, bool by_best) {
  Ratio scale = laplace_scale(holder.epsilon, holder.rows);
  scale.numerator *= moved_counts(by_best);
  return scale;
}

CountNoiseTerms noise_terms(const std::vector<CountPrivacy>& holders, bool by_best) {
  CountNoiseTerms terms;
  double variance = 0;
  for (const CountPrivacy& holder : holders) {
    variance += discrete_laplace_variance(count_noise_scale(holder, by_best));
    terms.rows = std::max(terms.rows, holder.rows);
  }
  terms.tau = std::sqrt(variance);
  return terms;
}

double noise_half_width(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise) {
  return noise_alone(terms_of(evaluated, noise.rows), cells, noise).half;
}

bool noise_hides(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise) {
  return noise_alone(terms_of(evaluated, noise.rows), cells, noise).hides();
}

void require_events(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise) {
  const Terms terms = terms_of(evaluated, noise.rows);
  const NoiseAlone alone = noise_alone(terms, cells, noise);
  if (!alone.hides()) return;
  const auto [half, range] = alone;
  const double needed = std::ceil(terms.events * half / (most_noise * range));
  throw InputError(
      evaluated.log.file(),
      fmt::format("{} and weights up to {:.3g}: the noise of the parties makes +-{:.2g} of a range of {:.3g}; "
                  "{} are needed (--held-out, or a longer log), or a larger --account-epsilon at the parties",
                  counted(static_cast<std::uint64_t>(terms.events), "event"), cells.largest_weight(), half, range,
                  counted(static_cast<std::uint64_t>(needed), "event")));
}

std::vector<PolicyValue> policy_values(const OpenedCounts& counts, const EvaluatedLog& evaluated, const LogCells& cells,
                                       const CountNoiseTerms& noise) {
  std::vector<Agreed> agreed = agreed_of(cells);
  for (std::size_t count = 0; count < agreed.size(); ++count) {
    const std::size_t cell = count % cells.count();
    const std::int64_t shown = count < cells.count() ? counts.agreed.at(cell) : counts.otherwise.at(cell);
    agreed[count].count = static_cast<double>(shown);
  }
  return values_of(agreed, evaluated, terms_of(evaluated, noise.rows), noise.tau);
}

std::vector<PolicyValue> log_values(const EvaluatedLog& evaluated, const CountNoiseTerms& noise) {
  return with_log({}, evaluated, terms_of(evaluated, noise.rows));
}

BitQuestion bit_question(const EvaluatedLog& evaluated, const LogCells& cells, const CountNoiseTerms& noise) {
  const Terms terms = terms_of(evaluated, noise.rows);
  const double spread = errors_of_interval * errors_of_interval * terms.rows;  // 4 m
  const double from = terms.full_support ? terms.mean_reward : terms.range.low;
  const double offset = terms.events * (terms.mean_reward - from);
  const std::vector<std::uint64_t> events = cells.events();
  BitQuestion asked;
  asked.at_worst = !terms.full_support;
  double squares = 0;
  double fourths = 0;
  double largest = 0;
  double expected = 0;  // sum k^2 H
  const double part = cells.by_best() ? .5 : 1;
  for (const Agreed& cell : agreed_of(cells)) {
    const double k = cell.weight * (cell.reward - from);
    const std::uint64_t of_cell = events[asked.question.factors.size() % cells.count()];
    expected += part * k * k * static_cast<double>(of_cell) / cell.weight;
    asked.question.factors.push_back(k);
    squares += k * k;
    fourths += k * k * k * k;
    largest = std::max(largest, k * k);
  }
  const double noise_alone = deviations_of_noise * noise.tau;
  const double margin =
      spread * (noise.tau * std::sqrt(fourths) + further_events * largest) + noise_alone * noise_alone * squares;  // K
  const double mean_square = spread * offset * offset / terms.events;
  const double y = margin + std::max(0., spread * expected - mean_square);
  const double root = 2 * std::sqrt(y);
  asked.question.threshold = offset + (margin + mean_square + y) / root;
  double most = 0;
  for (double& k : asked.question.factors) {
    k -= (spread * k * k - 2 * spread * offset * k / terms.events) / root;
    most = std::max(most, std::abs(k));
  }
  for (double& k : asked.question.factors) k /= most;
  asked.question.threshold /= most;
  std::vector<double>& factors = asked.question.factors;
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(cells.count());
  asked.question.factors_otherwise.assign(middle, factors.end());
  factors.erase(middle, factors.end());
  return asked;
}

std::vector<bool> plaintext_agreements(PlaintextBandit& bandit, const ContextGetter& contexts,
                                       const EvaluatedLog& evaluated) {
  const auto& [log, rows, first, weights, range] = evaluated;
  for (std::uint64_t event = 0; event < first; ++event) {
    const std::uint64_t row = rows[event];
    bandit.update(contexts(row), log.arm(row), log.reward(row));
  }
  std::vector<bool> agreements;
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    const std::span<const double> scores = bandit.scores(contexts(row));
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    agreements.push_back(log.arm(row) == static_cast<std::size_t>(best));
  }
  return agreements;
}

std::vector<PolicyValue> plaintext_values(const std::vector<bool>& agreements, const EvaluatedLog& evaluated,
                                          std::uint64_t rows_of_subject) {
  std::vector<Agreed> agreed;
  for (std::size_t i = 0; i < agreements.size(); ++i) {
    const std::uint64_t event = evaluated.first + i;
    if (!agreements[i]) continue;
    agreed.push_back({evaluated.weights.weights[event], evaluated.log.reward(evaluated.rows[event]), 1});
  }
  return values_of(agreed, evaluated, terms_of(evaluated, rows_of_subject), 0);
}

}  // namespace sotto::apps::bandit::run
