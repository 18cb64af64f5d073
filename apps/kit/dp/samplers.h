// Exact samplers over the integers: algorithms 1 to 3 of Canonne, Kamath, Steinke, "The Discrete Gaussian for
// Differential Privacy" (NeurIPS 2020).
//
// Every probability is exactly as stated. The samplers compare coins with rational numbers in whole-number arithmetic,
// and never draw or round a floating-point number. A floating-point Laplace sampler would reveal its input through the
// gaps between doubles (Mironov 2012).
//
// A rational number is a pair of words with a denominator of at least 1. The number of coins that a draw uses, and so
// the duration of the draw, depends on the result. The timing of single draws therefore reveals something about the
// noise. The functions throw std::invalid_argument for a denominator of 0 and for parameters outside the stated ranges.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

// The source of all randomness of differential privacy: words of the project's generator (AES-128 in counter mode,
// include/sotto/protocol/random/prg.h) with a key from the operating system.
//
// Anyone who can predict the coins can subtract the noise, so coins of an insecure seed protect nothing. Coins of an
// insecure seed are for tests and for runs that must be repeatable, and the output of such a run says so. Coins can be
// moved but not copied: two copies would draw the same noise twice, and a difference of the two results would cancel
// the noise. Coins must be used from one thread at a time. Throws the errors of Seed and Prg.

class Coins {
 public:
  [[nodiscard]] static Coins from_os() { return Coins(Seed::from_os()); }
  // Equal seeds give equal coins on every machine.
  [[nodiscard]] static Coins insecure(std::uint64_t seed) {
    return Coins(Seed::insecure_from_number(seed).derive("coins of differential privacy"));
  }

  // Coins from `insecure_seed` if it has a value; otherwise coins with a key from the operating system.
  [[nodiscard]] static Coins of(const std::optional<std::uint64_t>& insecure_seed) {
    return insecure_seed ? insecure(*insecure_seed) : from_os();
  }

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next() { return words_.next(); }
  // A number that is exactly uniform in [0, n), n >= 1, drawn by rejection.
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
// the nearest number within 63 bits. With a scale up to 2^52 the probability of such a replacement is below 2^-2900.
[[nodiscard]] std::int64_t discrete_laplace(Coins& coins, Ratio scale);

// The variance of discrete_laplace().
[[nodiscard]] double discrete_laplace_variance(Ratio scale);

// The scale of discrete Laplace noise for counts. The noise is added to each of several counts. A subject has `rows`
// rows, which change the counts by `rows` in total. With this scale the counts are epsilon-differentially private for
// each subject. The scale is rows / epsilon, rounded up to a multiple of 2^-20. Throws std::invalid_argument if an
// argument is outside the bounds below.
inline constexpr double least_count_epsilon = .001;
inline constexpr double largest_count_epsilon = 1000;
inline constexpr std::uint64_t most_rows_of_subject = 1'000'000;
[[nodiscard]] Ratio laplace_scale(double epsilon, std::uint64_t rows = 1);

// An integer x with probability proportional to exp(-x^2 / (2 variance)), with a variance above zero. The standard
// deviation is very close to the square root of `variance` if that root is above 1.
[[nodiscard]] std::int64_t discrete_gaussian(Coins& coins, Ratio variance);

}  // namespace sotto::apps
