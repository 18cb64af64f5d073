#include "apps/kit/dp/samplers.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sotto::apps {
namespace {

__extension__ typedef unsigned __int128 Wide;
using Huge = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    512, 512, boost::multiprecision::unsigned_magnitude, boost::multiprecision::checked, void>>;

constexpr std::uint64_t largest_magnitude = std::numeric_limits<std::int64_t>::max();

void check(Ratio ratio) {
  if (ratio.denominator == 0) throw std::invalid_argument("a ratio has the denominator 0");
}

// Returns true if a uniform number in [0, 1) is below numerator / denominator. The function compares the two numbers
// digit by digit in base 2^64, and draws digits of the uniform number until a digit differs.
template <class Whole>
bool below_fraction(Coins& coins, Whole numerator, const Whole& denominator) {
  while (numerator != 0) {
    numerator <<= 64;
    const auto digit = static_cast<std::uint64_t>(Whole(numerator / denominator));
    const std::uint64_t drawn = coins.next();
    if (drawn != digit) return drawn < digit;
    numerator %= denominator;
  }
  return false;
}

// Algorithm 1 of the paper for gamma in [0, 1). Trial k succeeds with probability gamma / k. The number of trials that
// succeed in a row is even with probability exp(-gamma).
template <class Whole>
bool bernoulli_exp_below_one(Coins& coins, const Whole& numerator, const Whole& denominator) {
  for (std::uint64_t k = 1;; ++k) {
    if (k > 1 && coins.below(k) != 0) return k % 2 == 1;
    if (!below_fraction(coins, numerator, denominator)) return k % 2 == 1;
  }
}

bool bernoulli_exp_of_one(Coins& coins) {
  for (std::uint64_t k = 2;; ++k) {  // trial 1 always succeeds
    if (coins.below(k) != 0) return k % 2 == 1;
  }
}

// Algorithm 1 of the paper for any gamma: exp(-gamma) = exp(-1)^floor(gamma) exp(-remainder). The function makes one
// trial for each factor and stops at the first failure.
template <class Whole>
bool bernoulli_exp_of(Coins& coins, const Whole& numerator, const Whole& denominator) {
  const Whole ones = numerator / denominator;
  for (Whole i = 0; i < ones; ++i) {
    if (!bernoulli_exp_of_one(coins)) return false;
  }
  return bernoulli_exp_below_one<Whole>(coins, numerator % denominator, denominator);
}

}  // namespace

bool bernoulli_exp(Coins& coins, Ratio gamma) {
  check(gamma);
  return bernoulli_exp_of<Wide>(coins, gamma.numerator, gamma.denominator);
}

// Algorithm 2 of the paper. With t = scale.numerator, the loop draws u and v so that u + t v is geometric with
// parameter 1 - exp(-1/t). The quotient of u + t v and scale.denominator, rounded down, is geometric with parameter 1 -
// exp(-1/scale).
std::int64_t discrete_laplace(Coins& coins, Ratio scale) {
  check(scale);
  if (scale.numerator == 0) throw std::invalid_argument("a scale of noise must be above 0");
  const std::uint64_t t = scale.numerator;
  for (;;) {
    const std::uint64_t u = coins.below(t);
    if (!bernoulli_exp(coins, {u, t})) continue;
    std::uint64_t v = 0;
    while (bernoulli_exp_of_one(coins)) ++v;
    const Wide magnitude = (u + Wide{t} * v) / scale.denominator;
    const bool negative = (coins.next() & 1) != 0;
    if (negative && magnitude == 0) continue;  // otherwise 0 is too likely
    const auto bounded = static_cast<std::int64_t>(std::min<Wide>(magnitude, largest_magnitude));
    return negative ? -bounded : bounded;
  }
}

double discrete_laplace_variance(Ratio scale) {
  const double q = std::exp(-1 / scale.value());
  return 2 * q / ((1 - q) * (1 - q));
}

Ratio laplace_scale(double epsilon, std::uint64_t rows) {
  if (!(epsilon >= least_count_epsilon && epsilon <= largest_count_epsilon)) {
    throw std::invalid_argument("an epsilon of counts is from 0.001 to 1000");
  }
  if (rows < 1 || rows > most_rows_of_subject) throw std::invalid_argument("a subject has from 1 to a million rows");
  constexpr std::uint64_t unit = std::uint64_t{1} << 20;
  const auto whole = static_cast<double>(unit * rows);  // exact: below 2^40
  double scale = std::ceil(whole / epsilon);
  // The division may have rounded the quotient down to a whole number. std::fma computes scale * epsilon - whole with
  // the exact sign.
  if (std::fma(scale, epsilon, -whole) < 0) ++scale;
  return {static_cast<std::uint64_t>(scale), unit};
}

// Algorithm 3 of the paper: draws discrete Laplace noise y with the scale t = floor(sd) + 1, and accepts y with
// probability exp(-gamma). For the variance n / d, gamma = (|y| - variance/t)^2 / (2 variance) = (|y| t d - n)^2 / (2 n
// t^2 d). With n, d < 2^64, t <= 2^32 and |y| < 2^63, |y| t d is below 2^159 as well. The numerator of gamma is
// therefore below 2^318, and below 2^382 after below_fraction() has shifted it by 64 bits. The denominator of gamma is
// below 2^193.
std::int64_t discrete_gaussian(Coins& coins, Ratio variance) {
  check(variance);
  if (variance.numerator == 0) throw std::invalid_argument("a variance of noise must be above 0");
  const auto t = static_cast<std::uint64_t>(sqrt(Huge(variance.numerator / variance.denominator))) + 1;
  const Huge n = variance.numerator;
  const Huge scaled_t = Huge(t) * variance.denominator;
  const Huge denominator = 2 * n * t * scaled_t;
  for (;;) {
    const std::int64_t y = discrete_laplace(coins, {t, 1});
    const Huge at = scaled_t * static_cast<std::uint64_t>(y < 0 ? -y : y);
    const Huge distance = at < n ? Huge(n - at) : Huge(at - n);
    if (bernoulli_exp_of<Huge>(coins, distance * distance, denominator)) return y;
  }
}

}  // namespace sotto::apps
