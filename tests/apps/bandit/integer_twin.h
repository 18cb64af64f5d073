// What one arm of the private bandit learns, in integers: the arithmetic of its step with nothing shared, word by word
// modulo 2^64. A truncation adds [c < what is cut off] for a c that the protocol's parties open; given the same c the
// twin has the same words, given random ones the same law.
#pragma once

#include "sotto/apps/bandit/parameters.h"
#include "tests/apps/support.h"

namespace sotto::apps::testing {

using Numbers = std::vector<std::uint64_t>;

// The c of a truncation, of which the low bits count: by the label of the opening and the lane.
using Rounding = std::function<std::uint64_t(std::string_view label, std::size_t lane)>;

// Of an update of W: u v' by both halves, or its upper triangle alone, mirrored.
enum class Update { both_halves, mirrored };

class IntegerTwin {
 public:
  IntegerTwin(const BanditPlan& plan, Rounding rounding, Update update = Update::both_halves)
      : d_(plan.parameters.features()),
        f_(plan.parameters.fraction_bits),
        inverse_bits_(plan.inverse_bits),
        product_bits_(plan.product_bits),
        division_(plan.division),
        rounding_(std::move(rounding)),
        update_(update),
        W_(d_ * d_, 0),
        b_(d_, 0) {
    for (std::size_t i = 0; i < d_; ++i) W_[i * d_ + i] = one(inverse_bits_);
  }

  // The reward is 1.
  void learn(const Numbers& x) {
    const Numbers u = truncated(product(x), f_ + inverse_bits_ - product_bits_, "u = W x");
    update(u, quotient(u, x));
    for (std::size_t i = 0; i < d_; ++i) b_[i] += x[i];
  }

  [[nodiscard]] Numbers weights() { return truncated(product(b_), inverse_bits_, "w = W b"); }

  [[nodiscard]] const Numbers& targets() const { return b_; }
  [[nodiscard]] Numbers triangle() const {
    Numbers entries;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) entries.push_back(W_[i * d_ + j]);
    }
    return entries;
  }

 private:
  static std::uint64_t one(unsigned bits) { return std::uint64_t{1} << bits; }

  std::uint64_t truncated(std::uint64_t z, unsigned bits, std::string_view label, std::size_t lane) const {
    const std::uint64_t low = one(bits) - 1;
    const auto floor = static_cast<std::uint64_t>(static_cast<std::int64_t>(z) >> bits);
    return bits == 0 ? z : floor + ((rounding_(label, lane) & low) < (z & low) ? 1 : 0);
  }
  Numbers truncated(Numbers z, unsigned bits, std::string_view label) const {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = truncated(z[i], bits, label, i);
    return z;
  }

  [[nodiscard]] Numbers product(const Numbers& y) const {
    Numbers sums(d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) sums[i] += W_[i * d_ + j] * y[j];
    }
    return sums;
  }

  // v = u / (1 + u . x), by the division of protocols/math/reciprocal.h.
  [[nodiscard]] Numbers quotient(const Numbers& u, const Numbers& x) const {
    std::uint64_t sum = one(f_ + product_bits_);
    for (std::size_t i = 0; i < d_; ++i) sum += u[i] * x[i];
    const std::uint64_t d = truncated(sum, product_bits_, "1 + u x", 0);

    const unsigned wide = f_ + division_.coefficient_bits;
    const unsigned narrow = std::min(wide, 64 - wide);
    const std::uint64_t t = d - nearest(std::ldexp((division_.top + 1) / 2, static_cast<int>(f_)));
    std::uint64_t y = t * static_cast<std::uint64_t>(division_.linear) + static_cast<std::uint64_t>(division_.constant);
    if (division_.degree == 2) y += truncated(t * t, f_, "d squared", 0) * static_cast<std::uint64_t>(division_.square);
    std::uint64_t e = truncated(one(f_ + wide) - d * y, narrow, "e0", 0);
    Numbers p = u;
    for (std::uint64_t& entry : p) entry *= y;
    p = truncated(std::move(p), wide, "u y0");

    const unsigned bits = f_ + wide - narrow;
    for (unsigned factor = 1; factor < division_.factors; ++factor) {
      for (std::uint64_t& entry : p) entry *= one(bits) + e;
      p = truncated(std::move(p), bits, "p (1 + e)");
      e = truncated(e * e, bits, "e squared", 0);
    }
    const double square = division_.last_error() * division_.last_error() / 2;
    const std::uint64_t last = nearest((1 + square) * std::ldexp(1.0, static_cast<int>(bits))) + e;
    for (std::uint64_t& entry : p) entry *= last;
    return truncated(std::move(p), bits, "u / d");
  }

  void update(const Numbers& u, const Numbers& v) {
    const unsigned fall = 2 * product_bits_ + 1 - inverse_bits_;
    std::size_t lane = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) {
        const std::uint64_t both = update_ == Update::mirrored ? 2 * u[i] * v[j] : u[i] * v[j] + u[j] * v[i];
        W_[i * d_ + j] = W_[j * d_ + i] = truncated((W_[i * d_ + j] << fall) - both, fall, "W", lane++);
      }
    }
  }

  static std::uint64_t nearest(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

  std::size_t d_;
  unsigned f_;
  unsigned inverse_bits_;
  unsigned product_bits_;
  protocols::ReciprocalPlan division_;
  Rounding rounding_;
  Update update_;
  Numbers W_;  // the whole matrix
  Numbers b_;
};

}  // namespace sotto::apps::testing
