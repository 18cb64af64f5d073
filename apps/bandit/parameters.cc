#include "sotto/apps/bandit/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/apps/bandit/batch/batch_plan.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/report/human.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr unsigned least_fraction_bits = 12;
constexpr unsigned most_fraction_bits = 24;
constexpr unsigned most_product_bits = 25;
constexpr unsigned range_bits = 62;  // mask_trunc takes |z| up to 2^62
constexpr unsigned most_reward_bits = 16;
constexpr double division_precision = 1.0 / (1 << 14);
// A row may be above its party's bound by norm_slack, and the joint bound above B by as much. Sums and scores have room
// for it; a divisor that is beyond 1 + B^2 by so little costs the division less than its precision.
constexpr double norm_excess = 1 + 3 * norm_slack;
constexpr double tolerated_error = .05;

// The least whole number of bits that holds `value`, at least 0.
unsigned bits_of(double value) { return static_cast<unsigned>(std::max(0.0, std::ceil(std::log2(value)))); }

// Of W as many as the ring has room for, at most those of u v'. |w_i| <= sqrt(T) / 2 for ridge regression on rewards in
// [-1, 1], whatever the contexts; W b and W x are formed at FW + F bits and must stay below 2^62.
unsigned inverse_bits_of(double steps, unsigned f, double norm) {
  const unsigned size = bits_of(std::max(std::sqrt(steps) / 2, norm));
  return std::min(2 * f, range_bits - 1 - f - size);
}

// Where B > 1 the division magnifies the rounding of u, and a pull in a new direction moves W by more.
unsigned product_bits_of(unsigned f, double norm) {
  return std::min(f + 2 * bits_of(norm), std::max(f, most_product_bits));
}

// What rounding adds to a score of about 1 after T pulls of one arm, at most: where these pulls were, W has come down
// to 1 / (B^2 T), and later pulls forget its errors too slowly. The rounding of u is in v too, so each pull takes the
// square of it from W, 2^-2Fu / 4 at most: a drift. The rounding of u once, times u, and the rounding of W itself walk
// at random: of both four standard deviations are counted, as measured in runs of the very arithmetic on contexts of
// many kinds.
double error_of_scores(double steps, unsigned f, double norm) {
  const double product_unit = norm * std::ldexp(1.0, -static_cast<int>(product_bits_of(f, norm)));
  const double inverse_unit = norm * norm * std::ldexp(1.0, -static_cast<int>(inverse_bits_of(steps, f, norm)));
  return std::pow(steps * product_unit, 2) / 10 + 2 * std::sqrt(steps) * product_unit +
         std::pow(steps, 1.5) * inverse_unit;
}

// What a run that is too long may do instead.
std::string remedies(const BanditParameters& p) {
  std::string text = "run fewer steps";
  const auto bears = [&](unsigned f) {
    return f >= least_fraction_bits && f <= most_fraction_bits && longest_run(f, p.max_norm) >= p.steps;
  };
  for (unsigned change = 1; change <= most_fraction_bits - least_fraction_bits; ++change) {
    const unsigned more = p.fraction_bits + change;
    const unsigned fewer = p.fraction_bits - change;
    if (!bears(more) && !bears(fewer)) continue;
    text += fmt::format(", or use --bits {}", bears(more) ? more : fewer);
    break;
  }
  if (longest_run(p.fraction_bits, 1) >= p.steps) text += ", or scale the features to a smaller --max-norm";
  return text;
}

void require_run_is_borne(const BanditParameters& p) {
  const std::uint64_t most = longest_run(p.fraction_bits, p.max_norm);
  if (p.steps <= most) return;
  throw InputError(
      fmt::format("--steps {}: with --bits {} and --max-norm {:g} a run has at most {} steps, for rounding would spoil "
                  "its inverse matrices; {}",
                  p.steps, p.fraction_bits, p.max_norm, most, remedies(p)));
}

}  // namespace

std::size_t BanditParameters::features() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
}

void require_sane(const BanditParameters& p) {
  if (p.columns.size() < 2 || p.columns.size() > max_parties) {
    throw InputError(fmt::format("--party: a run has 2 to {} parties, not {}", max_parties, p.columns.size()));
  }
  if (std::find(p.columns.begin(), p.columns.end(), 0u) != p.columns.end()) {
    throw InputError("--party: every party brings at least one feature column");
  }
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

std::uint64_t longest_run(unsigned fraction_bits, double max_norm) {
  const double norm = std::max(1.0, max_norm);
  std::uint64_t borne = 0;
  std::uint64_t refused = std::uint64_t{1} << 32;  // at any width
  while (refused - borne > 1) {
    const std::uint64_t steps = borne + (refused - borne) / 2;
    const double error = error_of_scores(static_cast<double>(steps), fraction_bits, norm);
    (error <= tolerated_error ? borne : refused) = steps;
  }
  return borne;
}

BanditPlan plan_bandit(BanditParameters parameters) {
  if (parameters.in_batches()) {
    const BatchPlan batches = plan_batches(parameters, parameters.batch);
    return BanditPlan{std::move(parameters),
                      batches.context_bits,
                      batches.inverse_bits,
                      0,
                      batches.reward_bits,
                      batches.comparison_bits,
                      {},
                      std::make_shared<const BatchPlan>(batches)};
  }
  require_sane(parameters);
  require_run_is_borne(parameters);
  const unsigned f = parameters.fraction_bits;
  const double steps = static_cast<double>(parameters.steps);
  const double norm = std::max(1.0, parameters.max_norm);
  const double longest = norm * norm_excess;

  // |b_i| <= B T, and b is rewritten at F + fr bits.
  const unsigned room = range_bits - f - bits_of(longest * steps);
  const unsigned reward_bits = parameters.binary_rewards ? 0 : std::min(most_reward_bits, room);

  // |s_i - s_j| <= B sqrt(T / 2): two ridge regressions that share T steps.
  const unsigned comparison_bits = f + 1 + bits_of(longest * std::sqrt(steps / 2) + 1);

  // From q = 2 up, so that every run with B <= 1 takes the same seven rounds.
  const double top = 1 + norm * norm;
  const unsigned product_bits = product_bits_of(f, norm);
  const protocols::ReciprocalPlan division = protocols::plan_reciprocal(top, division_precision, f, product_bits - f);
  return BanditPlan{std::move(parameters),
                    f,
                    inverse_bits_of(steps, f, norm),
                    product_bits,
                    reward_bits,
                    comparison_bits,
                    division,
                    nullptr};
}

}  // namespace sotto::apps
