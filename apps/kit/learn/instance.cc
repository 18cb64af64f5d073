#include "apps/kit/learn/instance.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "apps/kit/learn/seeded.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps {
namespace {

// No key may equal a key of a step stream (seeded.h) with the same seed.
enum class Stream : std::uint64_t { theta = 1, contexts, noise };

Prg stream_of(std::uint64_t seed, Stream stream, std::uint64_t user, std::uint64_t step) {
  if (user >> 24 != 0 || step >> 38 != 0) {
    throw std::invalid_argument("an instance has less than 2^24 users and 2^38 steps");
  }
  const std::array<std::uint64_t, 2> words{seed, static_cast<std::uint64_t>(stream) << 62 | user << 38 | step};
  std::array<std::byte, Seed::size> key{};
  std::memcpy(key.data(), words.data(), key.size());
  return Prg(Seed::from_bytes(key));
}

void fill_normal(Prg& prg, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const NormalPair pair = normal_pair(prg);
    out[i] = pair.first;
    if (i + 1 < out.size()) out[i + 1] = pair.second;
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void fill_sphere(Prg& prg, std::size_t dimension, std::span<double> out) {
  fill_normal(prg, out);
  for (std::size_t at = 0; at < out.size(); at += dimension) {
    const std::span<double> row = out.subspan(at, dimension);
    const double norm = std::sqrt(dot(row, row));
    // All normal numbers of a row can be 0, because normal_pair() draws the radius 0 once in 2^53 pairs.
    if (norm < std::numeric_limits<double>::min()) {
      row[0] = 1;
      continue;
    }
    for (double& value : row) value /= norm;
  }
}

}  // namespace

LinearInstance::LinearInstance(const LinearInstanceOptions& options) : options_(options), theta_(options.dimension) {
  if (options.dimension == 0 || options.arms == 0) {
    throw InputError("a synthetic instance needs at least one dimension and one arm");
  }
  if (!std::isfinite(options.noise_sd) || options.noise_sd < 0) {
    throw InputError("the noise of a synthetic instance is a finite number from 0");
  }
  Prg prg = stream_of(options.seed, Stream::theta, 0, 0);
  fill_sphere(prg, options.dimension, theta_);
}

void LinearInstance::contexts(std::uint64_t user, std::uint64_t step, std::span<double> out) const {
  if (out.size() != options_.arms * options_.dimension) {
    throw std::invalid_argument("the contexts of an instance are arms x dimension numbers");
  }
  Prg prg = stream_of(options_.seed, Stream::contexts, user, step);
  fill_sphere(prg, options_.dimension, out);
}

double LinearInstance::noise(std::uint64_t user, std::uint64_t step) const {
  Prg prg = stream_of(options_.seed, Stream::noise, user, step);
  double value = 0;
  fill_normal(prg, {&value, 1});
  return options_.noise_sd * value;
}

double LinearInstance::mean(std::span<const double> context) const {
  if (context.size() != theta_.size()) {
    throw std::invalid_argument("a context of an instance has `dimension` numbers");
  }
  return dot(context, theta_);
}

}  // namespace sotto::apps
