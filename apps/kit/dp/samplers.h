// Exact samplers over the integers: algorithms 1 to 3 of Canonne, Kamath, Steinke, "The Discrete Gaussian for
// Differential Privacy" (NeurIPS 2020).
//
// The samplers use only whole-number arithmetic, so every probability is exact. A floating-point Laplace sampler would
// reveal its input through the gaps between doubles (Mironov 2012).
//
// The duration of a draw depends on its result, so the timing of single draws reveals something about the noise. The
// functions throw std::invalid_argument for a denominator of 0 and for parameters outside the stated ranges.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

// The source of all randomness of differential privacy: AES-128 in counter mode with a key from the operating system.
//
// Anyone who can predict the coins can subtract the noise, so coins of an insecure seed protect nothing. Coins cannot
// be copied, because two copies would draw the same noise, and the difference of two results would cancel the noise.
// Only one thread at a time may use a Coins object.

class Coins {
 public:
  [[nodiscard]] static Coins from_os() { return Coins(Seed::from_os()); }
  // Equal seeds give equal coins on every machine.
  [[nodiscard]] static Coins insecure(std::uint64_t seed) {
    return Coins(Seed::insecure_from_number(seed).derive("coins of differential privacy"));
  }

  [[nodiscard]] static Coins of(const std::optional<std::uint64_t>& insecure_seed) {
    return insecure_seed ? insecure(*insecure_seed) : from_os();
  }

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next() { return words_.next(); }
  // Exactly uniform in [0, n), n >= 1, by rejection.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return words_.below(n); }

 private:
  explicit Coins(const Seed& seed) : words_(seed) {}

  Prg words_;
};

struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Ratio&) const = default;
};

// True with probability exp(-gamma), gamma >= 0.
[[nodiscard]] bool bernoulli_exp(Coins& coins, Ratio gamma);

// An integer x with probability proportional to exp(-|x| / scale), scale > 0. A number beyond 63 bits is replaced by
// the nearest number of 63 bits. With a scale up to 2^52 the probability of a replacement is below 2^-2900.
[[nodiscard]] std::int64_t discrete_laplace(Coins& coins, Ratio scale);

[[nodiscard]] double discrete_laplace_variance(Ratio scale);

// The scale of discrete Laplace noise that is added to each of several counts: rows / epsilon, rounded up to a multiple
// of 2^-20. The `rows` rows of a subject change the counts by `rows` in total, so the counts are epsilon-differentially
// private for each subject. Throws std::invalid_argument if an argument is outside the bounds below.
inline constexpr double least_count_epsilon = .001;
inline constexpr double largest_count_epsilon = 1000;
inline constexpr std::uint64_t most_rows_of_subject = 1'000'000;
[[nodiscard]] Ratio laplace_scale(double epsilon, std::uint64_t rows = 1);

// An integer x with probability proportional to exp(-x^2 / (2 variance)), variance > 0. The standard deviation is very
// close to the square root of `variance` if this root is above 1.
[[nodiscard]] std::int64_t discrete_gaussian(Coins& coins, Ratio variance);

}  // namespace sotto::apps
