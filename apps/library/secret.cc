#include "sotto/secret.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/library/form.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto {
namespace {

using Access = detail::SecretAccess;
using detail::Derivation;
using detail::Origin;

constexpr std::size_t most_carry_terms = 2;  // each further carry term costs dealt bits

double largest(const Matrix& values) { return values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff(); }

Secret sum_of(const Secret& x, const Secret& y, bool minus, double bound) {
  const Masked* const a = Access::masked(x);
  const Masked* const b = Access::masked(y);
  const Origin origin = Derivation(x.session(), minus ? "difference" : "sum").from(x).from(y).origin();
  const bool few =
      a != nullptr && b != nullptr && a->carry_terms().size() + b->carry_terms().size() <= most_carry_terms;
  if (few) return Access::make(x.session(), minus ? *a - *b : *a + *b, bound, origin);
  const Arith left = Access::shares(x);
  const Arith right = Access::shares(y);
  return Access::make(x.session(), minus ? left - right : left + right, bound, origin);
}

Secret combined(const Secret& x, const Secret& y, bool minus) {
  detail::require_same_session(x, y);
  const Shape shape = detail::common_shape(x.shape(), y.shape(), minus ? "a difference" : "a sum");
  const unsigned bits = std::max(x.bits(), y.bits());
  const double bound = x.bound() + y.bound();
  detail::require_room(bound, bits, minus ? "a difference" : "a sum");
  return sum_of(detail::raised(broadcast(x, shape), bits), detail::raised(broadcast(y, shape), bits), minus, bound);
}

bool all_whole(const Matrix& values) { return (values.array() == values.array().round()).all(); }

// Returns public numbers in a form that can be added to x. Whole numbers have the fraction bits of x. Other numbers
// have at least the fraction bits of the session.
Secret beside(const Secret& x, const Matrix& values) {
  const bool whole = all_whole(values);
  const unsigned bits = whole ? x.bits() : std::max(x.bits(), x.session().options().bits);
  const double bound = largest(values);
  detail::require_room(bound, bits, "a public number");
  const std::vector<std::uint64_t> words = detail::encoded(values, bits);
  const Origin origin = detail::origin_of_constant(x.session(), shape_of(values), words, bits, whole);
  return Access::make(x.session(), Masked::constant(x.session().party(), shape_of(values), bits, words), bound, origin);
}

Secret times_word(const Secret& x, detail::PublicFactor factor, double bound) {
  const Masked* const masked = Access::masked(x);
  const double number = std::ldexp(static_cast<double>(to_signed(factor.word)), -static_cast<int>(factor.bits));
  const Origin origin =
      Derivation(x.session(), "multiple").from(x).by(factor.word).by(factor.bits).with("by", number).origin();
  if (masked != nullptr) return Access::make(x.session(), masked->times(factor.word, factor.bits), bound, origin);
  return Access::make(x.session(), Access::shares(x).times(factor.word, factor.bits), bound, origin);
}

Secret times(const Secret& x, double y, int comfortable) {
  const auto factor = detail::factor_for(y, detail::word_bits(x), comfortable);
  if (!factor || x.bits() + factor->bits > 62) {
    detail::require_room(std::max(x.bound() * std::abs(y), 1.0), 62, "a product with a public number");
    throw BoundError("a product with a public number has more than 62 fraction bits: await rounded() first");
  }
  if (factor->word == 0) return x.session().zeros(x.shape());
  return times_word(x, *factor, x.bound() * std::abs(y));
}

Secret taken(const Secret& x, Shape shape, const std::vector<std::uint32_t>& from) {
  const Masked* const masked = Access::masked(x);
  const Origin origin = Derivation(x.session(), "places").from(x).by(shape).by(from).origin();
  if (masked != nullptr) return Access::make(x.session(), rearranged(*masked, shape, from), x.bound(), origin);
  return Access::make(x.session(), rearranged(Access::shares(x), shape, from), x.bound(), origin);
}

template <class From>
Secret placed(const Secret& x, Shape shape, From from) {
  std::vector<std::uint32_t> lanes;
  lanes.reserve(shape.lanes());
  for (std::size_t r = 0; r < shape.rows; ++r) {
    for (std::size_t c = 0; c < shape.columns; ++c) lanes.push_back(static_cast<std::uint32_t>(from(r, c)));
  }
  return taken(x, shape, lanes);
}

// Adds up entries of x. The function into(row, column) returns the lane of the result to which entry (row, column) is
// added. Each lane is a sum of `count` entries.
template <class Into>
Secret totals(const Secret& x, Shape shape, std::size_t count, Into into) {
  const double bound = x.bound() * static_cast<double>(count);
  detail::require_room(bound, x.bits(), "a sum");
  std::vector<std::uint32_t> lanes;
  lanes.reserve(x.shape().lanes());
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.columns(); ++c) lanes.push_back(static_cast<std::uint32_t>(into(r, c)));
  }
  const Masked* const masked = Access::masked(x);
  const Origin origin = Derivation(x.session(), "totals").from(x).by(shape).by(lanes).origin();
  if (masked != nullptr && masked->plain()) {
    return Access::make(x.session(), added_up(*masked, shape, lanes), bound, origin);
  }
  return Access::make(x.session(), added_up(Access::shares(x), shape, lanes), bound, origin);
}

bool join_as_masked(std::span<const Secret> parts) {
  const Masked* const first = Access::masked(parts.front());
  if (first == nullptr) return false;
  const auto& terms = first->carry_terms();
  return std::all_of(parts.begin(), parts.end(), [&](const Secret& part) {
    const Masked* const masked = Access::masked(part);
    return masked != nullptr &&
           std::equal(terms.begin(), terms.end(), masked->carry_terms().begin(), masked->carry_terms().end(),
                      [](const auto& a, const auto& b) { return a.shift == b.shift; });
  });
}

Secret in_a_row(std::span<const Secret> parts) {
  unsigned bits = 0;
  double bound = 0;
  for (const Secret& part : parts) {
    detail::require_same_session(parts.front(), part);
    bits = std::max(bits, part.bits());
    bound = std::max(bound, part.bound());
  }
  std::vector<Secret> aligned;
  aligned.reserve(parts.size());
  Derivation stack(parts.front().session(), "stack");
  for (const Secret& part : parts) {
    aligned.push_back(detail::raised(part, bits));
    stack.from(part);
  }
  if (join_as_masked(aligned)) {
    std::vector<Masked> values;
    values.reserve(aligned.size());
    for (const Secret& part : aligned) values.push_back(*Access::masked(part));
    return Access::make(parts.front().session(), joined(std::span<const Masked>(values)), bound, stack.origin());
  }
  std::vector<Arith> values;
  values.reserve(aligned.size());
  for (const Secret& part : aligned) values.push_back(Access::shares(part));
  return Access::make(parts.front().session(), joined(std::span<const Arith>(values)), bound, stack.origin());
}

Secret mean_of(const Secret& x, Secret (*add)(const Secret&), std::size_t count) {
  if (count == 0) throw std::invalid_argument("the mean of nothing");
  // The absolute value of a mean is at most that of the largest entry. One bit stays free, so that the sum of the mean
  // and an entry still fits.
  return times(add(x), 1.0 / static_cast<double>(count), detail::most_bits - 1).within(x.bound());
}

Secret public_product(const Matrix& matrix, const Secret& x, bool from_left) {
  const std::size_t inner = from_left ? x.rows() : x.columns();
  const Shape shape = shape_of(matrix);
  const double bound = x.bound() * largest(matrix) * static_cast<double>(inner);
  const int used = detail::word_bits(x) + detail::magnitude(static_cast<double>(inner));
  const detail::PublicFactors factors = detail::factors_for(matrix, used, "a product with a public matrix");
  const Arith shares = Access::shares(x);
  const Origin origin = Derivation(x.session(), from_left ? "matrix times" : "times matrix")
                            .from(x)
                            .by(shape)
                            .by(factors.words)
                            .by(factors.bits)
                            .origin();
  return Access::make(x.session(),
                      from_left ? matrix_times(factors.words, shape, shares, factors.bits)
                                : times_matrix(shares, factors.words, shape, factors.bits),
                      bound, origin);
}

}  // namespace

Session& Secret::session() const {
  if (session_ == nullptr) throw std::invalid_argument("a secret of no session");
  return *session_;
}

Secret Secret::within(double bound) const {
  if (!(std::isfinite(bound) && bound >= 0)) throw std::invalid_argument("a bound is a number of at least 0");
  return Access::with_bound(*this, std::min(bound, bound_));
}

Secret operator+(const Secret& x, const Secret& y) { return combined(x, y, false); }
Secret operator-(const Secret& x, const Secret& y) { return combined(x, y, true); }

Secret operator-(const Secret& x) {
  const Masked* const masked = Access::masked(x);
  const Origin origin = Derivation(x.session(), "opposite").from(x).origin();
  if (masked != nullptr) return Access::make(x.session(), -*masked, x.bound(), origin);
  return Access::make(x.session(), -Access::shares(x), x.bound(), origin);
}

Secret operator+(const Secret& x, const Matrix& y) { return x + beside(x, y); }

Secret operator+(const Secret& x, double y) { return x + beside(x, Matrix::Constant(1, 1, y)); }

Secret operator*(const Secret& x, double y) { return times(x, y, detail::comfortable_bits); }

Secret operator*(const Secret& x, const Matrix& y) {
  const Shape shape = detail::common_shape(x.shape(), shape_of(y), "a product");
  const Matrix whole = y.replicate(static_cast<Eigen::Index>(shape.rows) / y.rows(),
                                   static_cast<Eigen::Index>(shape.columns) / y.cols());
  const auto factors = detail::factors_for(whole, detail::word_bits(x), "a product with public numbers");
  const Origin origin =
      Derivation(x.session(), "weighted").from(x).by(shape).by(factors.words).by(factors.bits).origin();
  return Access::make(x.session(), weighted(Access::shares(broadcast(x, shape)), factors.words, factors.bits),
                      x.bound() * largest(y), origin);
}

Secret transpose(const Secret& x) {
  return placed(x, Shape{x.columns(), x.rows()}, [&](std::size_t r, std::size_t c) { return c * x.columns() + r; });
}

Secret rows(const Secret& x, std::size_t first, std::size_t count) {
  if (first + count > x.rows()) throw std::invalid_argument("there are no such rows");
  return placed(x, Shape{count, x.columns()},
                [&](std::size_t r, std::size_t c) { return (first + r) * x.columns() + c; });
}

Secret columns(const Secret& x, std::size_t first, std::size_t count) {
  if (first + count > x.columns()) throw std::invalid_argument("there are no such columns");
  return placed(x, Shape{x.rows(), count}, [&](std::size_t r, std::size_t c) { return r * x.columns() + first + c; });
}

Secret reshape(const Secret& x, Shape shape) {
  if (shape.lanes() != x.shape().lanes()) throw std::invalid_argument("another shape must have as many entries");
  const Masked* const masked = Access::masked(x);
  const Origin origin = Derivation(x.session(), "reshape").from(x).by(shape).origin();
  if (masked != nullptr) return Access::make(x.session(), masked->reshaped(shape), x.bound(), origin);
  return Access::make(x.session(), Access::shares(x).reshaped(shape), x.bound(), origin);
}

Secret broadcast(const Secret& x, Shape shape) {
  if (x.shape() == shape) return x;
  if (!(detail::common_shape(x.shape(), shape, "a broadcast") == shape)) {
    throw std::invalid_argument("a broadcast to fewer entries");
  }
  const std::size_t row_step = x.rows() == 1 ? 0 : x.columns();
  const std::size_t column_step = x.columns() == 1 ? 0 : 1;
  return placed(x, shape, [&](std::size_t r, std::size_t c) { return r * row_step + c * column_step; });
}

Secret hstack(std::span<const Secret> parts) {
  std::vector<Secret> turned;
  turned.reserve(parts.size());
  for (const Secret& part : parts) turned.push_back(transpose(part));
  return transpose(vstack(turned));
}

Secret vstack(std::span<const Secret> parts) {
  if (parts.empty()) throw std::invalid_argument("nothing to stack");
  Shape shape{0, parts.front().columns()};
  for (const Secret& part : parts) {
    if (part.columns() != shape.columns) throw std::invalid_argument("a stack of parts of different sizes");
    shape.rows += part.rows();
  }
  return reshape(in_a_row(parts), shape);
}

Secret sum(const Secret& x) {
  return totals(x, Shape{1, 1}, x.shape().lanes(), [](std::size_t, std::size_t) { return 0; });
}

Secret mean(const Secret& x) { return mean_of(x, sum, x.shape().lanes()); }
Secret row_means(const Secret& x) { return mean_of(x, row_sums, x.columns()); }
Secret column_means(const Secret& x) { return mean_of(x, column_sums, x.rows()); }

Secret row_sums(const Secret& x) {
  return totals(x, Shape{x.rows(), 1}, x.columns(), [](std::size_t r, std::size_t) { return r; });
}

Secret column_sums(const Secret& x) {
  return totals(x, Shape{1, x.columns()}, x.rows(), [](std::size_t, std::size_t c) { return c; });
}

Secret matmul(const Matrix& x, const Secret& y) { return public_product(x, y, true); }
Secret matmul(const Secret& x, const Matrix& y) { return public_product(y, x, false); }

}  // namespace sotto
