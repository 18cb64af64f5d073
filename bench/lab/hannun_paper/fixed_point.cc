#include "bench/lab/hannun_paper/fixed_point.h"

#include <algorithm>
#include <stdexcept>

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

// Words are signed, and sums wrap round as in Z/2^64.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

constexpr unsigned exp_squarings = 8;

}  // namespace

double newton_error(NewtonStart start, unsigned steps, double d) {
  if (start == NewtonStart::none) return 0;
  double y = start == NewtonStart::linear ? 24.0 / 17 - 8.0 / 17 * d : 3 * std::exp(.5 - d) + .003;
  for (unsigned i = 0; i < steps; ++i) y = y * (2 - d * y);
  return std::abs(y * d - 1);
}

FixedPointBandit::FixedPointBandit(std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed,
                                   const FixedPointSettings& settings)
    : arms_(arms),
      features_(features),
      settings_(settings),
      exploration_(exploration_of(epsilon)),
      coins_({seed, 1}),
      rounding_({seed, 2}) {
  if (arms == 0 || features == 0 || settings.bits < 8 || settings.bits > 28) {
    throw std::invalid_argument("FixedPointBandit: needs an arm, a feature, and 8 to 28 bits");
  }
  inverse_.assign(arms * features * features, 0);
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < features; ++i) inverse_[(a * features + i) * features + i] = Word{1} << settings.bits;
  }
  biases_.assign(arms * features, 0);
  x_.assign(features, 0);
  u_ = v_ = w_ = x_;
  scores_.assign(arms, 0);
}

FixedPointBandit::Word FixedPointBandit::divided(Word product) {
  const unsigned bits = settings_.bits;
  const Word mask = (Word{1} << bits) - 1;
  switch (settings_.rounding) {
    case FixedRounding::floor:
      return product >> bits;
    case FixedRounding::nearest:
      return wrapped_sum(product, Word{1} << (bits - 1)) >> bits;
    case FixedRounding::unbiased:
      return wrapped_sum(product, static_cast<Word>(rounding_.next()) & mask) >> bits;
    case FixedRounding::published:
      break;
  }
  const std::uint64_t word = rounding_.next();
  const Word rounded = wrapped_sum(product, static_cast<Word>(word) & mask) >> bits;
  const std::uint64_t size =
      product < 0 ? 0 - static_cast<std::uint64_t>(product) : static_cast<std::uint64_t>(product);
  if (word >= size) return rounded;
  ++failures_;
  const Word off = Word{1} << (64 - bits);
  return product < 0 ? wrapped_sum(rounded, off) : wrapped_difference(rounded, off);
}

FixedPointBandit::Word FixedPointBandit::product(Word a, Word b) { return divided(wrapped_product(a, b)); }

FixedPointBandit::Word FixedPointBandit::inner(const Word* a, const Word* b) {
  Word sum = 0;
  for (std::size_t i = 0; i < features_; ++i) sum = wrapped_sum(sum, wrapped_product(a[i], b[i]));
  return divided(sum);
}

FixedPointBandit::Word FixedPointBandit::encoded(double value) const {
  return static_cast<Word>(std::nearbyint(std::ldexp(value, static_cast<int>(settings_.bits))));
}

FixedPointBandit::Word FixedPointBandit::start_of(Word d) {
  if (settings_.start == NewtonStart::linear) {
    return wrapped_difference(encoded(24.0 / 17), product(encoded(8.0 / 17), d));
  }
  // exp(x) = (1 + x / 256)^256; the division by 256 rounds down.
  Word power = wrapped_difference(encoded(.5), d);
  power = wrapped_sum(encoded(1), power >> exp_squarings);
  for (unsigned i = 0; i < exp_squarings; ++i) power = product(power, power);
  return wrapped_sum(wrapped_product(3, power), encoded(.003));
}

FixedPointBandit::Word FixedPointBandit::reciprocal(Word d) {
  if (settings_.start == NewtonStart::none)
    return d == 0 ? 0 : encoded(std::ldexp(1.0, static_cast<int>(settings_.bits)) / static_cast<double>(d));
  Word y = start_of(d);
  for (unsigned i = 0; i < settings_.newton_steps; ++i) {
    const Word square = product(y, y);
    y = wrapped_difference(wrapped_product(2, y), product(d, square));
  }
  return y;
}

void FixedPointBandit::encode(std::span<const double> context) {
  if (context.size() != features_) throw std::invalid_argument("FixedPointBandit: a context of the wrong length");
  for (std::size_t i = 0; i < features_; ++i) x_[i] = encoded(context[i]);
}

std::size_t FixedPointBandit::select(std::span<const double> context) {
  encode(context);
  for (std::size_t a = 0; a < arms_; ++a) {
    const Word* inverse = inverse_.data() + a * features_ * features_;
    for (std::size_t i = 0; i < features_; ++i) {
      w_[i] = inner(inverse + i * features_, biases_.data() + a * features_);
    }
    scores_[a] = inner(w_.data(), x_.data());
  }
  if (exploration_.explores(coins_.next())) return coins_.below(arms_);
  const Word best = *std::max_element(scores_.begin(), scores_.end());
  const auto ties = static_cast<std::uint64_t>(std::count(scores_.begin(), scores_.end(), best));
  std::uint64_t skip = ties > 1 ? coins_.below(ties) : 0;
  std::size_t arm = 0;
  while (scores_[arm] != best || skip-- > 0) ++arm;
  return arm;
}

void FixedPointBandit::subtract_outer(Word* matrix, Word factor) {
  for (std::size_t i = 0; i < features_; ++i) v_[i] = product(u_[i], factor);
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t j = 0; j < features_; ++j, ++matrix) *matrix = wrapped_difference(*matrix, product(u_[i], v_[j]));
  }
}

void FixedPointBandit::update(std::span<const double> context, std::size_t arm, double reward) {
  if (arm >= arms_) throw std::invalid_argument("FixedPointBandit: no such arm");
  encode(context);
  Word* inverse = inverse_.data() + arm * features_ * features_;
  for (std::size_t i = 0; i < features_; ++i) u_[i] = inner(inverse + i * features_, x_.data());
  const Word divisor = wrapped_sum(encoded(1), inner(u_.data(), x_.data()));
  subtract_outer(inverse, reciprocal(divisor));
  if (reward == 0) return;
  Word* bias = biases_.data() + arm * features_;
  for (std::size_t i = 0; i < features_; ++i) bias[i] = wrapped_sum(bias[i], x_[i]);
}

std::vector<double> FixedPointBandit::inverse_matrix(std::size_t arm) const {
  if (arm >= arms_) throw std::invalid_argument("FixedPointBandit: no such arm");
  std::vector<double> matrix;
  matrix.reserve(features_ * features_);
  const std::size_t first = arm * features_ * features_;
  for (std::size_t i = 0; i < features_ * features_; ++i) {
    matrix.push_back(std::ldexp(static_cast<double>(inverse_[first + i]), -static_cast<int>(settings_.bits)));
  }
  return matrix;
}

}  // namespace sotto::apps::lab
