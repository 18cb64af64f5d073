#include "apps/bandit/run/log/log_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "apps/bandit/run/log/propensity_doubts.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

// SplitMix64 [Steele, Lea, Flood 2014]: a fixed mixing of all bits.
std::uint64_t mixed_bits(std::uint64_t number) {
  std::uint64_t z = (number + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

LogWeights log_weights(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first_held_out,
                       const WeightRule& rule) {
  const bool logged = rule.propensities == Propensities::logged;
  if (logged && !log.has_propensities()) {
    throw InputError(log.file(),
                     "the log has no column 'propensity', the probability with which each arm was played: without it "
                     "nobody can say what another policy would have earned; if arms were played at random whatever the "
                     "case, --propensities frequencies estimates it by each arm's share of the log");
  }
  const std::vector<double> shares = logged ? std::vector<double>() : log.arm_shares(rows.size());
  LogWeights result;
  result.weights.reserve(rows.size());
  std::vector<double> stated;  // before any are cut: what the log says of its arms
  stated.reserve(rows.size());
  for (std::uint64_t event = 0; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    double propensity = logged ? log.propensity(row) : shares[log.arm(row)];
    stated.push_back(1 / propensity);
    if (propensity < rule.least_propensity) {
      if (!rule.clips && event >= first_held_out) {
        throw InputError(log.where(row),
                         fmt::format("a propensity below {:g}: lower --least-propensity, which makes "
                                     "intervals wider, or --clip-weights, which makes values wrong by a "
                                     "little",
                                     rule.least_propensity));
      }
      result.clipped += event >= first_held_out ? 1 : 0;
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

}  // namespace sotto::apps::bandit::run
