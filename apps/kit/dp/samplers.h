// Exact samplers over the integers: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (NeurIPS
// 2020), algorithms 1 to 3.
//
// Every probability is exactly the stated one: coins are compared with rationals by whole numbers, and no
// floating-point number is ever drawn or rounded. A floating-point Laplace sampler would betray its input through the
// gaps between doubles (Mironov 2012).
//
// A rational is a pair of words, the denominator at least 1. The number of coins that a draw takes, and so its time,
// depends on the draw: timing of single draws tells something about the noise. Errors: a denominator of 0 and
// parameters outside the stated ranges are std::invalid_argument.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

// Where all randomness of differential privacy comes from: words of the project's generator (AES-128 in counter mode,
// include/sotto/protocol/random/prg.h) that is keyed from the operating system.
//
// Whoever can predict the coins can subtract the noise, so coins of an insecure seed protect nothing; they are for
// tests and for runs that must be repeatable, and what such a run writes says so. Coins are moved, not copied: two
// copies would add the same noise twice, and it would cancel. Used from one thread at a time. Errors: those of Seed and
// Prg.

class Coins {
 public:
  [[nodiscard]] static Coins from_os() { return Coins(Seed::from_os()); }
  // Equal seeds give equal coins, on any machine.
  [[nodiscard]] static Coins insecure(std::uint64_t seed) {
    return Coins(Seed::insecure_from_number(seed).derive("coins of differential privacy"));
  }

  // Of the seed where there is one, else of the operating system.
  [[nodiscard]] static Coins of(const std::optional<std::uint64_t>& insecure_seed) {
    return insecure_seed ? insecure(*insecure_seed) : from_os();
  }

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next() { return words_.next(); }
  // Uniform in [0, n), n >= 1: exactly so, by rejection.
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

// An integer x with probability proportional to exp(-|x| / scale), scale > 0. A number beyond 63 bits is set to the
// nearest within; with a scale up to 2^52 that happens with a chance below 2^-2900.
[[nodiscard]] std::int64_t discrete_laplace(Coins& coins, Ratio scale);

// Its variance.
[[nodiscard]] double discrete_laplace_variance(Ratio scale);

// The scale at which one such number, added to each of several counts that `rows` rows of a subject move by `rows` in
// all, makes them epsilon-differentially private in that subject: rows / epsilon, rounded up to a multiple of 2^-20.
// Throws std::invalid_argument where one of them is out of its bounds, here.
inline constexpr double least_count_epsilon = .001;
inline constexpr double largest_count_epsilon = 1000;
inline constexpr std::uint64_t most_rows_of_subject = 1'000'000;
[[nodiscard]] Ratio laplace_scale(double epsilon, std::uint64_t rows = 1);

// An integer x with probability proportional to exp(-x^2 / (2 variance)), variance > 0. About its standard deviation:
// it is the square root of `variance` but for a trifle once that is above 1.
[[nodiscard]] std::int64_t discrete_gaussian(Coins& coins, Ratio variance);

}  // namespace sotto::apps
