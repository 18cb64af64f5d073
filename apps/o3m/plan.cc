#include "apps/o3m/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
namespace {

constexpr std::size_t batch_numbers = std::size_t{1} << 17;  // one mebibyte of doubles
constexpr std::size_t most_dimensions = 10'000;
constexpr unsigned most_fraction_bits = 52;  // number of fraction bits of a double in [1, 2)
constexpr int sum_bits = 62;

void check_shape(const O3mParameters& p) {
  if (p.participants() < 2 || p.participants() > max_parties) {
    throw InputError(
        fmt::format("an O3M run has 2 to {} participants, not {}: the active one and at least one passive one",
                    max_parties, p.participants()));
  }
  if (p.bounds.size() != p.participants()) throw std::invalid_argument("a bound a participant");
  if (p.steps == 0) throw InputError("steps", "an O3M run has at least one step");
  if (p.arms == 0) throw InputError("arms", "an O3M run has at least one arm");
  for (std::size_t j = 0; j < p.participants(); ++j) {
    if (p.columns[j] > 0) continue;
    throw InputError(fmt::format("participant {} has no features: leave it out", j));
  }
  if (p.dimension() > most_dimensions) {
    throw InputError(
        fmt::format("contexts of {} features in all: at most {} can be masked", p.dimension(), most_dimensions));
  }
}

void check_generator(const O3mParameters& p) {
  if (!p.mask_generator) return;
  if (*p.mask_generator == 0) {
    throw InputError("mask_generator",
                     "the active participant must not generate the mask, since it would read all contexts: name a "
                     "passive participant or a third party");
  }
  if (*p.mask_generator >= p.participants()) {
    throw InputError("mask_generator", fmt::format("there is no passive participant {}: they are 1 to {}",
                                                   *p.mask_generator, p.participants() - 1));
  }
}

unsigned fraction_bits_of(const O3mParameters& p) {
  double bound = 0;
  for (const double each : p.bounds) bound += each;
  if (!std::isfinite(bound) || bound < 0) throw InputError("contexts", "the norms are not finite");
  const int whole_bits = bound <= 1 ? 0 : static_cast<int>(std::ceil(std::log2(bound)));
  const int bits = std::min<int>(most_fraction_bits, sum_bits - whole_bits);
  if (bits < static_cast<int>(least_fraction_bits)) {
    throw InputError("contexts", fmt::format("the largest norms of the participants' contexts add up to {:.3g}; above "
                                             "{:.0f} their masked sum would err by more than 2^-40: scale the features",
                                             bound, std::ldexp(1, sum_bits - int{least_fraction_bits})));
  }
  return static_cast<unsigned>(bits);
}

}  // namespace

std::size_t O3mPlan::offset(std::size_t participant) const {
  return std::accumulate(parameters.columns.begin(),
                         parameters.columns.begin() + static_cast<std::ptrdiff_t>(participant), std::size_t{0});
}

O3mPlan plan_o3m(const O3mParameters& parameters) {
  check_shape(parameters);
  check_generator(parameters);
  O3mPlan plan;
  plan.parameters = parameters;
  plan.fraction_bits = fraction_bits_of(parameters);
  const std::size_t step_size = std::max<std::size_t>(1, plan.step_size());
  plan.batch_steps = std::max<std::size_t>(1, batch_numbers / step_size);
  return plan;
}

}  // namespace sotto::apps::o3m
