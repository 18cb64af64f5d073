#include "apps/robin/aggregate/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

void check_rotation(std::size_t values, std::size_t signs) {
  if (values != signs || !std::has_single_bit(signs)) {
    throw std::invalid_argument("a rotation needs a power of two of numbers, and as many signs");
  }
}

template <class Number>
void multiply_by_hadamard(std::span<Number> values) {
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t block = 0; block < values.size(); block += 2 * width) {
      for (std::size_t i = block; i < block + width; ++i) {
        const Number sum = values[i] + values[i + width];
        values[i + width] = values[i] - values[i + width];
        values[i] = sum;
      }
    }
  }
}

constexpr std::size_t most_dimensions = 1U << 16;
// tau has from 2^least_tau_bits to 2^most_tau_bits lattice steps. With fewer than 2^8 steps, rounding would matter.
constexpr int most_tau_bits = 20;
constexpr int least_tau_bits = 8;
constexpr double largest_noise = 0x1p31;  // number of steps, so that a variance fits a word
constexpr double up = 1 + 1e-9;           // a factor that covers the rounding errors in this file
constexpr double down = 1 - 1e-9;
constexpr std::uint64_t eta_denominator = 1U << 24;
// Costs differ by less than 2^32, so the product of eta's numerator and a difference fits a word.
constexpr double largest_eta = 0x1p6;

void check_positive(double value, const char* where) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw InputError(where, fmt::format("{} is not a finite number above 0", value));
  }
}

void check(const AggregateSettings& settings) {
  if (settings.dimension == 0) throw std::invalid_argument("estimates of no dimension");
  if (settings.dimension > most_dimensions) {
    throw InputError(
        fmt::format("{} numbers an estimate: at most {} are supported", settings.dimension, most_dimensions));
  }
  check_positive(settings.bound, "--bound");
  check_positive(settings.tau, "--tau");
  if (settings.bound / settings.tau > most_bins) {
    throw InputError("--tau",
                     fmt::format("{:.4g} is too small for a bound of {:.4g}: it would need more than 2^20 bins",
                                 settings.tau, settings.bound));
  }
  if (settings.around && settings.around->size() != settings.dimension) {
    throw std::invalid_argument("clipping round an estimate of another dimension");
  }
}

// The parameters of both halves of a coordinate's share: eta for the range, and the noise for the mean. The noise is in
// units of tau.
struct Split {
  double eta = 0;
  double noise_scale = 0;
};

Split split_zcdp(double rho, bool draws_range) {
  if (!(rho > 0) || !std::isfinite(rho)) throw std::invalid_argument("a release without a budget");
  const double range = draws_range ? rho / 2 : 0;
  const double mean = rho - range;
  // The sensitivity is 4 tau. For Laplace noise, rho = epsilon^2 / 2 with epsilon = 4 tau / scale. For Gaussian noise,
  // rho = (4 tau)^2 / (2 sd^2). Both formulas have the same form.
  return {std::sqrt(2 * range), 4 / std::sqrt(2 * mean)};
}

Split split_pure(NoiseKind noise, double epsilon, bool draws_range) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    throw std::invalid_argument("a release without a budget");
  }
  if (noise != NoiseKind::laplace) {
    throw InputError("--noise", "gaussian noise is accounted by zcdp only; choose laplace");
  }
  const double range = draws_range ? epsilon / 2 : 0;
  return {range / 2, 4 / (epsilon - range)};
}

Split split_of(const AggregateSettings& settings, const AggregateMechanism& mechanism) {
  const ReleaseShare& share = settings.share;
  if (share.composition != Composition::zcdp) {
    return split_pure(settings.noise, share.epsilon, mechanism.draws_range);
  }
  return split_zcdp(share.rho / static_cast<double>(mechanism.padded), mechanism.draws_range);
}

void set_lattice(AggregateMechanism& mechanism, double tau, double noise) {
  int bits = most_tau_bits;
  while (bits >= least_tau_bits && std::ldexp(noise, bits) * up > largest_noise) --bits;
  if (bits < least_tau_bits) {
    throw InputError("--eps", fmt::format("too small: the noise would be {:.3g} times tau", noise));
  }
  mechanism.tau = std::int64_t{1} << bits;
  mechanism.rotated_step = std::ldexp(tau, -bits);
  mechanism.step = mechanism.rotated_step * std::sqrt(static_cast<double>(mechanism.padded));
}

void set_noise(AggregateMechanism& mechanism, NoiseKind kind, double noise) {
  const double scale = noise * static_cast<double>(mechanism.tau);
  if (kind == NoiseKind::gaussian) {
    mechanism.noise.numerator = static_cast<std::uint64_t>(std::max(1.0, std::ceil(scale * scale * up)));
    mechanism.noise_scale = std::sqrt(static_cast<double>(mechanism.noise.numerator));
    mechanism.noise_sd = mechanism.noise_scale;
  } else {
    mechanism.noise.numerator = static_cast<std::uint64_t>(std::max(1.0, std::ceil(scale * up)));
    mechanism.noise_scale = static_cast<double>(mechanism.noise.numerator);
    mechanism.noise_sd = std::sqrt(2.0) * mechanism.noise_scale;
  }
}

}  // namespace

std::vector<int> draw_signs(Coins& coins, std::size_t padded) {
  std::vector<int> signs(padded);
  for (int& sign : signs) sign = (coins.next() & 1) != 0 ? 1 : -1;
  return signs;
}

void rotate(std::span<std::int64_t> values, std::span<const int> signs) {
  check_rotation(values.size(), signs.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= signs[i];
  multiply_by_hadamard(values);
}

void rotate_back(std::span<double> values, std::span<const int> signs) {
  check_rotation(values.size(), signs.size());
  multiply_by_hadamard(values);
  const double scale = 1 / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= signs[i] * scale;
}

std::vector<std::uint64_t> range_costs(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> costs(counts.size());
  std::uint64_t below = 0;
  std::uint64_t above = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    above -= counts[bin];
    costs[bin] = std::max(below, above);
    below += counts[bin];
  }
  return costs;
}

// The loop always accepts the cheapest bin, so the average number of trials is at most the number of bins.
std::size_t exponential_mechanism(Coins& coins, std::span<const std::uint64_t> costs, Ratio eta) {
  if (costs.empty()) throw std::invalid_argument("a choice among nothing");
  const std::uint64_t least = *std::min_element(costs.begin(), costs.end());
  for (;;) {
    const std::size_t tried = coins.below(costs.size());
    if (bernoulli_exp(coins, {eta.numerator * (costs[tried] - least), eta.denominator})) {
      return tried;
    }
  }
}

AggregateMechanism mechanism_of(const AggregateSettings& settings) {
  check(settings);
  AggregateMechanism mechanism;
  mechanism.padded = padded_dimension(settings.dimension);
  // Bin b is the range from 2 tau b - tau to 2 tau b + tau, and no rotated coordinate exceeds the bound.
  mechanism.reach = static_cast<std::int64_t>(std::max(0.0, std::ceil((settings.bound / settings.tau - 1) / 2)));
  mechanism.draws_range = !settings.around && mechanism.reach > 0;
  const Split split = split_of(settings, mechanism);
  set_lattice(mechanism, settings.tau, split.noise_scale);
  set_noise(mechanism, settings.noise, split.noise_scale);
  mechanism.eta = {
      static_cast<std::uint64_t>(std::min(split.eta * down, largest_eta) * static_cast<double>(eta_denominator)),
      eta_denominator};
  return mechanism;
}

}  // namespace sotto::apps::robin
