#include "apps/bandit/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apps/kit/report/human.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {
namespace {

constexpr unsigned least_fraction_bits = 12;
constexpr unsigned most_fraction_bits = 24;

// Runs with more arms compare the arms in tournaments, and tournaments need a dealer.
constexpr std::size_t most_arms_by_pairs = 64;

}  // namespace

void require_randomness(RandomnessBy by, const FeatureHolders& holders, std::size_t arms, const std::string& where) {
  const Cast& cast = cast_of(by);
  if (cast.has_dealer) return;
  if (const std::string refusal = refusal_of(by, holders.parties); !refusal.empty()) {
    const bool may_add = holders.parties < cast.parties;
    throw InputError(where, refusal + (may_add ? ", or add some that bring no features, by computing_only" : ""));
  }
  if (!cast.may_have_owners && holders.owners > 0) {
    throw InputError(where, "a run with a helper has no owners: take \"replicated\", \"ot\" or \"dealer\"");
  }
  if (arms > most_arms_by_pairs) {
    throw InputError(where, fmt::format("without a dealer a run has at most {} arms, not {}: take \"dealer\"",
                                        most_arms_by_pairs, arms));
  }
}

void require_holders(const FeatureHolders& holders, const std::string& where) {
  const auto& [parties, computing_only, owners] = holders;
  if (computing_only > parties) {
    throw InputError(where, fmt::format("{} that only compute, and the run has {} in all", computing_only,
                                        counted(parties, "compute party")));
  }
  if (owners > 0 && parties + owners > max_owners_and_parties) {
    throw InputError(where, fmt::format("a run has at most {} compute parties and owners together, not {} and {}",
                                        max_owners_and_parties, parties, owners));
  }
  if (holders.count() < 1 || holders.count() > FeatureHolders::most) {
    throw InputError(where, fmt::format("1 to {} roles bring features, not {}: owners, and compute parties except "
                                        "those that only compute",
                                        FeatureHolders::most, holders.count()));
  }
}

std::size_t BanditParameters::features() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
}

void require_sane(const BanditParameters& p) {
  if (p.owners > p.columns.size()) {
    throw InputError(fmt::format("--owner: {}, and {} bring features", counted(p.owners, "owner"), p.columns.size()));
  }
  const FeatureHolders holders = p.holders();
  if (holders.parties < 2 || holders.parties > max_parties) {
    throw InputError(fmt::format("--party: a run has 2 to {} parties, not {}", max_parties, holders.parties));
  }
  require_holders(holders, p.owners > 0 ? "--owner" : "--computing-only");
  if (std::find(p.columns.begin(), p.columns.end(), 0u) != p.columns.end()) {
    throw InputError("--party: every party brings at least one feature column");
  }
  require_randomness(p.preprocessing, holders, p.arms, "--preprocessing");
  if (p.arms < 1 || p.arms > 4096) throw InputError(fmt::format("--arms: 1 to 4096 arms, not {}", p.arms));
  if (p.steps < 1) throw InputError("--steps: at least one step");
  if (p.fraction_bits < least_fraction_bits || p.fraction_bits > most_fraction_bits) {
    throw InputError(fmt::format("--bits: {} to {} fraction bits, not {}", least_fraction_bits, most_fraction_bits,
                                 p.fraction_bits));
  }
  if (!(p.max_norm > 0 && p.max_norm <= 8)) {
    throw InputError(
        fmt::format("--max-norm: {} is outside (0, 8]; scale the features so that every row's norm is at most 8",
                    advised(p.max_norm)));
  }
}

namespace {

// The chance that a standard Gaussian vector of n entries is longer than sqrt(n) + beyond_root is below 1e-6.
constexpr double beyond_root = 5.3;

// The sum of the deviations of all holders' noise. This sum is the worst case, in which all noises point in one
// direction.
double noise_of_all(const BanditParameters& parameters) {
  return std::accumulate(parameters.learning_noise.begin(), parameters.learning_noise.end(), 0.);
}

}  // namespace

double learning_ridge(const BanditParameters& parameters) {
  const auto features = static_cast<double>(parameters.features());
  return 1 + std::ceil(noise_of_all(parameters) * (std::sqrt(2 * features) + beyond_root));
}

RunBounds bounds_of(const BanditParameters& parameters) {
  // The norm of a party's row may exceed the party's bound by norm_slack. The joint bound may also exceed R by
  // norm_slack.
  constexpr double norm_excess = 1 + 3 * prepare::norm_slack;
  const auto features = static_cast<double>(parameters.features());
  const double norm = std::max(1.0, parameters.max_norm) * norm_excess;
  auto steps = static_cast<double>(parameters.steps + parameters.events_before);
  if (!parameters.learning_noise.empty()) {
    const double targets = noise_of_all(parameters) * (std::sqrt(features) + beyond_root);
    const double root = std::sqrt(steps) + 3 * targets;
    steps = std::max(steps + 2 * learning_ridge(parameters) / (norm * norm), root * root);
  }
  return RunBounds{steps, features, norm};
}

InverseWidths inverse_widths(const RunBounds& bounds, unsigned fraction_bits, double needed, int most) {
  const double n = bounds.n();
  const double log_n = std::log2(n);
  InverseWidths w{};
  w.context = std::min({static_cast<int>(fraction_bits), widest, whole_bits((62 - log_n) / 2)});
  const int both = whole_bits(61 - log_n / 2);
  w.inverse = std::min(most, static_cast<int>(std::ceil((both + log_n) / 2)));
  while (w.inverse < most && std::ldexp(needed, -w.inverse) > 1) ++w.inverse;
  w.gram = std::min(both - w.inverse, 2 * w.context - 1);
  w.residual = 60 - w.inverse;
  w.rounding =
      bounds.features * (std::ldexp(n, -w.inverse) + std::ldexp(std::sqrt(n), -w.residual) + std::ldexp(1.0, -w.gram));
  return w;
}

unsigned comparison_bits(const RunBounds& bounds, double factor) {
  const double largest = factor * bounds.norm * std::sqrt(bounds.steps / 2) + 1;
  return compared_bits + 1 + static_cast<unsigned>(std::ceil(std::log2(largest)));
}

}  // namespace sotto::apps::bandit
