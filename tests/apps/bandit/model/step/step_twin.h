// The twin computes without shares what the private bandit learns about one arm in single steps and refreshes. The twin
// uses the same integers modulo 2^64 as the protocol. Each truncation rounds by a random number c: the truncation adds
// 1 if c is less than the part that is cut off, and 0 otherwise. The parties of the protocol open c. If a test passes
// the opened c to the twin, the twin computes exactly the words of the protocol. If c is random, the twin's words have
// the same distribution as the words of the protocol.
#pragma once

#include "apps/bandit/model/step/step_plan.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::testing {

using Numbers = std::vector<std::uint64_t>;

// Returns the number c by which one lane of a truncation rounds. `label` is the label of the truncation's opening. The
// twin uses only the low bits of c.
using Rounding = std::function<std::uint64_t(std::string_view label, std::size_t lane)>;

inline Rounding random_rounding(std::uint64_t seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);
  return [random](std::string_view, std::size_t) { return (*random)(); };
}

// The part of a step that the twin leaves out. The tests show that the step needs this part.
enum class Without { nothing, other_half, refresh };

class StepTwin {
 public:
  StepTwin(const StepPlan& plan, std::size_t features, Rounding rounding, Without without = Without::nothing)
      : p_(plan),
        d_(features),
        rounding_(std::move(rounding)),
        without_(without),
        A(d_ * d_, 0),
        b(d_, 0),
        W(d_ * d_, 0),
        w(d_, 0) {
    for (std::size_t i = 0; i < d_; ++i) {
      A[i * d_ + i] = one(2 * p_.context_bits);
      W[i * d_ + i] = one(p_.kept_inverse_bits);
    }
  }

 private:
  StepPlan p_;
  std::size_t d_;
  Rounding rounding_;
  Without without_;
  double largest_ = 0;

 public:
  Numbers A, b, W, w;

  void play(std::uint64_t step, const Numbers& x, std::uint64_t reward) {
    learn(x, reward);
    if ((step + 1) % p_.refresh_every == 0) refresh();
  }

  // The largest absolute value that was truncated, divided by 2^62.
  [[nodiscard]] double largest() const { return largest_; }

  [[nodiscard]] static Numbers triangle_of(const Numbers& matrix, std::size_t d) {
    Numbers entries;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) entries.push_back(matrix[i * d + j]);
    }
    return entries;
  }

 private:
  static std::uint64_t one(unsigned bits) { return std::uint64_t{1} << bits; }

  void learn(const Numbers& x, std::uint64_t reward) {
    std::uint64_t dot = 0;
    for (std::size_t i = 0; i < d_; ++i) dot += w[i] * x[i];
    const std::uint64_t s =
        cut(dot, p_.weight_bits + p_.context_bits - p_.score_bits, selects_first() ? "s of the arm" : "s = w x", 0);
    const Numbers cut_W = selects_first() ? symmetric(W, p_.kept_inverse_bits - p_.inverse_bits, "W of the arm") : W;
    const Numbers u = cut(times(cut_W, x), p_.inverse_bits + p_.context_bits - p_.product_bits, "u = W x");
    const Numbers v = quotient(u, x);

    const unsigned more = 2 * p_.product_bits + 1 - p_.kept_inverse_bits;
    Numbers next(d_ * d_);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) {
        const std::uint64_t both = mirrored() ? 2 * u[i] * v[j] : u[i] * v[j] + u[j] * v[i];
        next[i * d_ + j] = (W[i * d_ + j] << more) - both;
      }
    }
    W = symmetric(next, more, "W");

    const std::uint64_t change = (reward << (p_.score_bits - p_.reward_bits)) - s;
    const unsigned w_more = p_.score_bits + p_.product_bits - p_.weight_bits;
    for (std::size_t i = 0; i < d_; ++i) w[i] = (w[i] << w_more) + change * v[i];
    w = cut(w, w_more, "w");

    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) A[i * d_ + j] += x[i] * x[j];
      b[i] += reward * x[i];
    }
  }

  // Returns u / (1 + u . x). The division works as in include/sotto/protocol/math/reciprocal.h.
  Numbers quotient(const Numbers& u, const Numbers& x) {
    const protocols::ReciprocalPlan& division = p_.division;
    const unsigned f = p_.divisor_bits;
    std::uint64_t sum = one(p_.context_bits + p_.product_bits);
    for (std::size_t i = 0; i < d_; ++i) sum += u[i] * x[i];
    const std::uint64_t d = cut(sum, p_.context_bits + p_.product_bits - f, "1 + u x", 0);

    const unsigned wide = f + division.coefficient_bits;
    const unsigned narrow = std::min(wide, 64 - wide);
    const std::uint64_t t = d - nearest(std::ldexp((division.top + 1) / 2, static_cast<int>(f)));
    std::uint64_t y = t * static_cast<std::uint64_t>(division.linear) + static_cast<std::uint64_t>(division.constant);
    if (division.degree == 2) y += cut(t * t, f, "d squared", 0) * static_cast<std::uint64_t>(division.square);
    std::uint64_t e = cut(one(f + wide) - d * y, narrow, "e0", 0);
    Numbers p = u;
    for (std::uint64_t& entry : p) entry *= y;
    p = cut(std::move(p), wide, "u y0");

    const unsigned bits = f + wide - narrow;
    for (unsigned factor = 1; factor < division.factors; ++factor) {
      for (std::uint64_t& entry : p) entry *= one(bits) + e;
      p = cut(std::move(p), bits, "p (1 + e)");
      e = cut(e * e, bits, "e squared", 0);
    }
    const double square = division.last_error() * division.last_error() / 2;
    const std::uint64_t last = nearest((1 + square) * std::ldexp(1.0, static_cast<int>(bits))) + e;
    for (std::uint64_t& entry : p) entry *= last;
    return cut(std::move(p), bits, "u / d");
  }

  void refresh() {
    if (without_ == Without::refresh) return;
    const unsigned f = p_.context_bits;
    const Numbers cut_A = symmetric(A, 2 * f - p_.gram_bits, "A");
    const Numbers fine_A = symmetric(A, 2 * f - p_.weight_gram_bits, "A for w");
    const Numbers cut_W = symmetric(W, p_.kept_inverse_bits - p_.refreshed_bits, "W");

    Numbers e = times(fine_A, w);
    const unsigned scale = p_.weight_gram_bits + p_.weight_bits;
    for (std::size_t i = 0; i < d_; ++i) e[i] = (b[i] << (scale - f - p_.reward_bits)) - e[i];
    e = cut(e, scale - p_.correction_bits, "b - A w");

    Numbers P(d_ * d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t k = 0; k < d_; ++k) {
        for (std::size_t j = 0; j < d_; ++j) P[i * d_ + j] += cut_A[i * d_ + k] * cut_W[k * d_ + j];
      }
    }
    P = cut(P, p_.gram_bits + p_.refreshed_bits - p_.residual_bits, "P = A W");
    const Numbers We = times(cut_W, e);
    const unsigned w_more = p_.refreshed_bits + p_.correction_bits - p_.weight_bits;
    for (std::size_t i = 0; i < d_; ++i) w[i] = (w[i] << w_more) + We[i];
    w = cut(w, w_more, "w");

    Numbers WP(d_ * d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t k = 0; k < d_; ++k) {
        for (std::size_t j = 0; j < d_; ++j) WP[i * d_ + j] += cut_W[i * d_ + k] * P[k * d_ + j];
      }
    }
    Numbers next(d_ * d_);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) {
        const std::uint64_t other = mirrored() ? WP[i * d_ + j] : WP[j * d_ + i];
        next[i * d_ + j] = (cut_W[i * d_ + j] << (p_.residual_bits + 2)) - WP[i * d_ + j] - other;
      }
    }
    W = symmetric(next, p_.refreshed_bits + p_.residual_bits + 1 - p_.inverse_bits, "W");
    for (std::uint64_t& entry : W) entry <<= p_.kept_inverse_bits - p_.inverse_bits;
  }

  [[nodiscard]] bool selects_first() const { return p_.update == StepUpdate::pulled_arm; }
  [[nodiscard]] bool mirrored() const { return without_ == Without::other_half; }

  std::uint64_t cut(std::uint64_t z, unsigned bits, std::string_view label, std::size_t lane) {
    largest_ = std::max(largest_, std::abs(std::ldexp(static_cast<double>(static_cast<std::int64_t>(z)), -62)));
    if (bits == 0) return z;
    const std::uint64_t low = one(bits) - 1;
    const auto floor = static_cast<std::uint64_t>(static_cast<std::int64_t>(z) >> bits);
    return floor + ((rounding_(label, lane) & low) < (z & low) ? 1 : 0);
  }
  Numbers cut(Numbers z, unsigned bits, std::string_view label) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = cut(z[i], bits, label, i);
    return z;
  }
  Numbers symmetric(const Numbers& z, unsigned bits, std::string_view label) {
    Numbers result(d_ * d_);
    std::size_t lane = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) {
        result[i * d_ + j] = result[j * d_ + i] = cut(z[i * d_ + j], bits, label, lane++);
      }
    }
    return result;
  }
  [[nodiscard]] Numbers times(const Numbers& matrix, const Numbers& y) const {
    Numbers sums(d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) sums[i] += matrix[i * d_ + j] * y[j];
    }
    return sums;
  }
  static std::uint64_t nearest(double value) { return static_cast<std::uint64_t>(std::llround(value)); }
};

}  // namespace sotto::apps::bandit::testing
