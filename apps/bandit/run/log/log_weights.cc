#include "apps/bandit/run/log/log_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

// SplitMix64 [Steele, Lea, Flood 2014].
std::uint64_t mixed_bits(std::uint64_t number) {
  std::uint64_t z = (number + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr double errors_of_doubt = 4;
// The tolerated relative errors, because files may round propensities to about three decimals.
constexpr double rounding_of_few_arms = .005;
constexpr double rounding_of_an_arm = .0005;
constexpr double most_rounding = .05;
constexpr double second_decimal = .005;  // half a unit of the second decimal
constexpr double unseen_chance = .01;    // tolerated number of arms without a chance

struct ChosenFrom {
  double mean = 0;
  double error = 0;
  double events = 0;
  double played = 0;
  bool is_one_number = true;
};

ChosenFrom chosen_from(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                       const std::vector<double>& weights) {
  ChosenFrom chosen;
  std::vector<bool> is_played(log.arm_count(), false);
  double squares = 0;
  chosen.events = static_cast<double>(rows.size() - first);
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    is_played[log.arm(rows[event])] = true;
    chosen.mean += weights[event] / chosen.events;
    squares += weights[event] * weights[event] / chosen.events;
    chosen.is_one_number = chosen.is_one_number && weights[event] == weights[first];
  }
  if (chosen.is_one_number) {
    chosen.mean = weights[first];  // exact, because all weights are the same
  } else {
    chosen.error = std::sqrt(std::max(0., squares - chosen.mean * chosen.mean) / chosen.events);
  }
  chosen.played = static_cast<double>(std::count(is_played.begin(), is_played.end(), true));
  return chosen;
}

// The largest number of arms that can plausibly stay unplayed by chance.
double left_out(double arms, double events) {
  const double expected = arms * std::pow(1 - 1 / std::max(arms, 1.), events);
  return expected + errors_of_doubt * std::sqrt(expected);
}

std::string arms_text(double arms) { return fmt::format("{:.3g} arm{}", arms, std::abs(arms - 1) < .005 ? "" : "s"); }

double offered(const ChosenFrom& chosen, const WeightRule& rule) {
  return rule.arms_offered > 0 ? static_cast<double>(rule.arms_offered) : chosen.played;
}

double printed_rounding(double known, double mean) {
  return std::clamp(rounding_of_an_arm * known, rounding_of_few_arms, most_rounding) * std::max(known, mean);
}

void refuse_or_count_small(const EventLog& log, std::uint64_t row, const WeightRule& rule, const char* what,
                           LogWeights& weights) {
  if (!rule.clips) {
    throw InputError(log.where(row), fmt::format("a {} below {:g}: lower --least-propensity, which makes intervals "
                                                 "wider, or --clip-weights, which makes values wrong by a little",
                                                 what, rule.least_propensity));
  }
  ++weights.clipped;
}

bool shows_support(const ChosenFrom& chosen, double known, std::size_t arm_count) {
  const auto arms = static_cast<double>(arm_count);
  const bool drawn_alike = chosen.is_one_number && chosen.mean != 1 && known == arms &&
                           std::abs(chosen.mean - known) <= printed_rounding(known, chosen.mean);
  return drawn_alike || arms - chosen.mean + 2 * chosen.error <= unseen_chance;
}

std::string propensity_remedy(const ChosenFrom& chosen, double known) {
  const bool is_cut = chosen.is_one_number && std::abs(1 / chosen.mean - 1 / known) <= second_decimal;
  return fmt::format(
      "write into each row the probability with which its arm was played{}; where each event had a choice of fewer "
      "arms, --arms-offered says of how many",
      is_cut ? fmt::format(", with four digits at least ({:.4f} where {} are drawn alike)", 1 / known, arms_text(known))
             : "");
}

// Each row states how many arms its event had to choose from, so neither means nor chance matter here.
double choice_of(const EventLog& log, std::uint64_t row) {
  return 1 + (1 - log.best_probability(row)) / log.least_probability(row);
}

void check_choices(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                   const WeightRule& rule) {
  const auto known = static_cast<double>(rule.arms_offered > 0 ? rule.arms_offered : log.arm_count());
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const double choice = choice_of(log, rows[event]);
    if (choice <= known + printed_rounding(known, choice)) continue;
    throw InputError(
        log.where(rows[event]),
        fmt::format("columns 'best_probability' and 'least_probability' say that the event had {} to choose "
                    "from, and {} were {}. Write both with six digits, as the service computes them. If "
                    "some arms were never played, give --arms",
                    arms_text(choice), known, rule.arms_offered > 0 ? "offered" : "in the log"));
  }
}

LogWeights weights_by_best(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first_held_out,
                           const WeightRule& rule) {
  LogWeights result;
  for (std::uint64_t event = 0; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    if (log.least_probability(row) < rule.least_propensity && event >= first_held_out) {
      refuse_or_count_small(log, row, rule, "least_probability", result);
    }
    result.weights.push_back(1 / std::max(log.best_probability(row), rule.least_propensity));
    result.otherwise.push_back(1 / std::max(log.least_probability(row), rule.least_propensity));
  }
  if (first_held_out < rows.size()) {
    check_choices(log, rows, first_held_out, rule);
    result.full_support = shows_support_by_best(log, rows, first_held_out) || rule.full_support;
  }
  return result;
}

}  // namespace

bool needs_best_bits(const EventLog& log, const WeightRule& rule) {
  return rule.propensities == Propensities::logged && log.has_best_probabilities();
}

void require_best_bits(const EventLog& log, const WeightRule& rule, bool parties_have_bits) {
  const bool needs = needs_best_bits(log, rule);
  if (needs == parties_have_bits) return;
  throw InputError(
      log.file(),
      needs ? "'best_probability' and 'least_probability' need the parties' shares of best arms, and the parties have "
              "none: put the .best file of the service's export next to the rows of each party"
            : "the parties have shares of best arms, and no weight of the log depends on these. Bring the log of the "
              "same export, or remove the parties' .best files");
}

LogWeights log_weights(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first_held_out,
                       const WeightRule& rule) {
  if (needs_best_bits(log, rule)) return weights_by_best(log, rows, first_held_out, rule);
  const bool logged = rule.propensities == Propensities::logged;
  if (logged && !log.has_propensities()) {
    throw InputError(log.file(),
                     "the log has no column 'propensity', the probability with which each arm was played, so the "
                     "reward of another policy cannot be estimated. If arms were played at random whatever the case, "
                     "--propensities frequencies estimates it by each arm's share of the log");
  }
  const std::vector<double> shares = logged ? std::vector<double>() : log.arm_shares(rows.size());
  LogWeights result;
  result.weights.reserve(rows.size());
  std::vector<double> stated;  // inverse propensities before any is cut
  stated.reserve(rows.size());
  for (std::uint64_t event = 0; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    double propensity = logged ? log.propensity(row) : shares[log.arm(row)];
    stated.push_back(1 / propensity);
    if (propensity < rule.least_propensity) {
      if (event >= first_held_out) refuse_or_count_small(log, row, rule, "propensity", result);
      propensity = rule.least_propensity;
    }
    result.weights.push_back(1 / propensity);
  }
  if (first_held_out < rows.size()) {
    result.full_support = check_propensities(log, rows, first_held_out, stated, rule) || rule.full_support;
  }
  return result;
}

std::vector<std::uint64_t> rows_in_turn(std::uint64_t steps, std::uint64_t held_out, bool mixed) {
  std::vector<std::uint64_t> rows(steps);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  if (!mixed) return rows;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(steps - held_out);
  const auto before = [](std::uint64_t a, std::uint64_t b) { return mixed_bits(a) < mixed_bits(b); };
  std::nth_element(rows.begin(), middle, rows.end(), before);
  std::sort(rows.begin(), middle);
  std::sort(middle, rows.end());
  return rows;
}

bool check_propensities(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                        const std::vector<double>& weights, const WeightRule& rule) {
  const ChosenFrom chosen = chosen_from(log, rows, first, weights);
  const auto arms = static_cast<double>(log.arm_count());
  // Frequencies are computed from the played arms, so the check below would prove nothing.
  if (rule.propensities == Propensities::frequencies) return chosen.played == arms;
  const double known = offered(chosen, rule);
  const double unseen = rule.arms_offered > 0 ? 0 : left_out(chosen.mean, chosen.events);
  const double rounding = printed_rounding(known, chosen.mean);
  const bool too_many = chosen.mean > known + errors_of_doubt * chosen.error + unseen + rounding;
  const bool too_few = chosen.is_one_number && chosen.mean != 1 && chosen.mean < known - rounding;
  if (too_many || too_few) {
    throw InputError(log.file(),
                     fmt::format("column 'propensity': {} that an event had {} to choose from, and {} were {}: {}",
                                 chosen.is_one_number ? "one number in all events says" : "these numbers say",
                                 arms_text(chosen.mean), known, rule.arms_offered > 0 ? "offered" : "played",
                                 propensity_remedy(chosen, known)));
  }
  return shows_support(chosen, known, log.arm_count());
}

bool shows_support(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                   const std::vector<double>& weights, const WeightRule& rule) {
  const ChosenFrom chosen = chosen_from(log, rows, first, weights);
  return shows_support(chosen, offered(chosen, rule), log.arm_count());
}

bool shows_support_by_best(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first) {
  const auto arms = static_cast<double>(log.arm_count());
  return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [&](std::uint64_t row) {
    const double choice = choice_of(log, row);
    return choice >= arms - printed_rounding(arms, choice);
  });
}

}  // namespace sotto::apps::bandit::run
