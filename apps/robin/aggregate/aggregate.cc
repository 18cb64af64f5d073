#include "apps/robin/aggregate/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "apps/kit/dp/samplers.h"
#include "apps/robin/aggregate/mechanism.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

constexpr std::size_t most_clients = std::size_t{1} << 32;

double norm_of(std::span<const double> estimate) {
  double largest = 0;
  for (const double x : estimate) largest = std::max(largest, std::abs(x));
  if (largest == 0) return 0;
  double squares = 0;  // sum of squares of the entries, each divided by the largest entry, so that nothing overflows
  for (const double x : estimate) squares += (x / largest) * (x / largest);
  return largest * std::sqrt(squares);
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::size_t count_clients(std::span<const double> estimates, std::size_t dimension) {
  if (estimates.size() % dimension != 0) {
    throw std::invalid_argument("the estimates do not fill rows of the dimension");
  }
  const std::size_t clients = estimates.size() / dimension;
  if (clients < 2) {
    throw InputError(fmt::format("{}: a private mean needs at least two", counted(clients, "estimate")));
  }
  if (clients > most_clients) throw InputError("more than 2^32 estimates");
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (!std::isfinite(estimates[i])) {
      throw InputError(fmt::format("number {} of estimate {} is not finite", i % dimension, i / dimension));
    }
  }
  return clients;
}

// Rotates each estimate to a row. A row depends only on its own estimate, so replacing one estimate replaces only one
// row, in spite of rounding.
class Rotated {
 public:
  Rotated(const AggregateSettings& settings, const AggregateMechanism& mechanism, std::span<const int> signs)
      : settings_(settings), mechanism_(mechanism), signs_(signs), row_(mechanism.padded) {}

  std::span<const std::int64_t> operator()(std::span<const double> estimate) {
    const double norm = norm_of(estimate);
    const bool clip = norm > settings_.bound;
    if (clip) ++clipped_;
    std::fill(row_.begin(), row_.end(), 0);
    for (std::size_t j = 0; j < estimate.size(); ++j) {
      const double x = clip ? estimate[j] / norm * settings_.bound : estimate[j];
      row_[j] = std::llround(x / mechanism_.step);
    }
    rotate(row_, signs_);
    return row_;
  }

  [[nodiscard]] std::size_t clipped() const { return clipped_; }

 private:
  const AggregateSettings& settings_;
  const AggregateMechanism& mechanism_;
  std::span<const int> signs_;
  std::vector<std::int64_t> row_;
  std::size_t clipped_ = 0;
};

// Rounding may move a value beyond the outermost bins. Such a value counts in the outermost bin.
std::size_t bin_of(std::int64_t value, const AggregateMechanism& mechanism) {
  const std::int64_t width = 2 * mechanism.tau;
  const std::int64_t shifted = value + mechanism.tau + mechanism.reach * width;
  const std::int64_t bin = shifted < 0 ? 0 : shifted / width;
  return static_cast<std::size_t>(std::min(bin, 2 * mechanism.reach));
}

std::int64_t private_centre(std::span<const std::int64_t> values, const AggregateMechanism& mechanism, Coins& coins) {
  std::vector<std::uint64_t> counts(mechanism.bins());
  for (const std::int64_t value : values) ++counts[bin_of(value, mechanism)];
  const std::size_t bin = exponential_mechanism(coins, range_costs(counts), mechanism.eta);
  return (static_cast<std::int64_t>(bin) - mechanism.reach) * 2 * mechanism.tau;
}

struct ClippedSum {
  std::int64_t sum = 0;
  std::size_t outside = 0;
};

ClippedSum clipped_sum(std::span<const std::int64_t> values, std::int64_t centre, std::int64_t half_width) {
  ClippedSum result;
  for (const std::int64_t value : values) {
    const std::int64_t distance = value - centre;
    const std::int64_t bounded = std::clamp(distance, -half_width, half_width);
    result.sum += bounded;
    if (bounded != distance) ++result.outside;
  }
  return result;
}

std::int64_t draw_noise(const AggregateSettings& settings, const AggregateMechanism& mechanism, Coins& coins) {
  return settings.noise == NoiseKind::gaussian ? discrete_gaussian(coins, mechanism.noise)
                                               : discrete_laplace(coins, mechanism.noise);
}

}  // namespace

std::size_t padded_dimension(std::size_t dimension) { return std::bit_ceil(dimension); }

AggregateResult aggregate(std::span<const double> estimates, const AggregateSettings& settings, Coins& coins) {
  const AggregateMechanism mechanism = mechanism_of(settings);
  const std::size_t dimension = settings.dimension;
  const std::size_t clients = count_clients(estimates, dimension);
  if (settings.around && !all_finite(*settings.around)) {
    throw std::invalid_argument("clipping round an estimate that is not finite");
  }

  AggregateResult result;
  result.signs = draw_signs(coins, mechanism.padded);
  Rotated rotated(settings, mechanism, result.signs);
  std::vector<std::int64_t> columns(clients * mechanism.padded);
  for (std::size_t i = 0; i < clients; ++i) {
    const auto row = rotated(estimates.subspan(i * dimension, dimension));
    for (std::size_t j = 0; j < row.size(); ++j) columns[j * clients + i] = row[j];
  }
  result.clipped = rotated.clipped();

  std::vector<std::int64_t> centres(mechanism.padded);
  if (settings.around) {
    const auto row = rotated(*settings.around);
    centres.assign(row.begin(), row.end());
  }
  const std::int64_t half_width = 2 * mechanism.tau;
  std::vector<double> mean(mechanism.padded);
  for (std::size_t j = 0; j < mechanism.padded; ++j) {
    const auto values = std::span<const std::int64_t>(columns).subspan(j * clients, clients);
    if (mechanism.draws_range) centres[j] = private_centre(values, mechanism, coins);
    const ClippedSum clipped = clipped_sum(values, centres[j], half_width);
    result.outside += clipped.outside;
    const std::int64_t released = clipped.sum + draw_noise(settings, mechanism, coins);
    // From this line on, the loop computes only with public numbers.
    const auto centre = static_cast<double>(centres[j]);
    mean[j] = centre + static_cast<double>(released) / static_cast<double>(clients);
    result.ranges.emplace_back((centre - static_cast<double>(half_width)) * mechanism.rotated_step,
                               (centre + static_cast<double>(half_width)) * mechanism.rotated_step);
  }
  rotate_back(mean, result.signs);
  for (double& x : mean) x *= mechanism.step;
  mean.resize(dimension);
  result.mean = std::move(mean);
  const double unit = mechanism.rotated_step / static_cast<double>(clients);
  result.noise_scale = mechanism.noise_scale * unit;
  result.noise_sd = mechanism.noise_sd * unit;
  return result;
}

double noise_sd(const AggregateSettings& settings, std::size_t clients) {
  const AggregateMechanism mechanism = mechanism_of(settings);
  return mechanism.noise_sd * mechanism.rotated_step / static_cast<double>(clients);
}

double misfire_chance(const AggregateSettings& settings, std::size_t clients, double tail) {
  if (!(tail >= 0 && tail <= 0.5)) throw std::invalid_argument("a tail is a part of at most 1/2");
  const AggregateMechanism mechanism = mechanism_of(settings);
  if (!mechanism.draws_range) return 0;
  const double wrong = static_cast<double>(mechanism.padded * (mechanism.bins() - 1));
  return std::min(1.0, wrong * std::exp(-mechanism.eta.value() * static_cast<double>(clients) * (0.5 - tail)));
}

}  // namespace sotto::apps::robin
