#include "apps/library/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::detail {
namespace {

constexpr int of_nothing = -64;  // magnitude() of 0
constexpr unsigned least_fraction = 4;

// |factor|, rounded to the product of an odd number of at most `significant` bits and a power of two.
struct Rounded {
  std::uint64_t odd;
  int exponent;
};
Rounded rounded_to(double factor, int significant) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(factor), &exponent);
  auto odd = static_cast<std::uint64_t>(std::llround(std::ldexp(fraction, significant)));
  exponent -= significant;
  while (odd % 2 == 0) {
    odd /= 2;
    ++exponent;
  }
  return {odd, exponent};
}

void require_public(double value) {
  if (std::isfinite(value)) return;
  throw std::invalid_argument(
      "a public number is not finite: what was opened is known to some roles only, and cannot be computed with");
}

}  // namespace

Secret SecretAccess::make(Session& session, std::variant<Arith, Masked> value, double bound, const Origin& origin) {
  Secret x;
  x.session_ = &session;
  std::tie(x.shape_, x.bits_) = std::visit([](const auto& of) { return std::pair(of.shape(), of.scale()); }, value);
  x.bound_ = bound;
  x.form_ = std::make_shared<SecretForm>(SecretForm{std::move(value), origin});
  return x;
}

Arith SecretAccess::shares(const Secret& x) {
  const Masked* masked_value = masked(x);
  if (masked_value != nullptr) return masked_value->shares(x.session().party());
  return std::get<Arith>(x.form_->value);
}

Secret SecretAccess::with_bound(Secret x, double bound) {
  x.bound_ = bound;
  return x;
}

int magnitude(double bound) {
  if (!(bound > 0)) return of_nothing;
  int exponent = 0;
  const double fraction = std::frexp(bound, &exponent);
  return std::max(fraction == 0.5 ? exponent - 1 : exponent, of_nothing);
}

void require_room(double bound, unsigned bits, const char* what) {
  if (word_bits(bound, bits) <= most_bits) return;
  throw BoundError(
      fmt::format("{}: a bound of {:.6g} with {} fraction bits takes more than the {} bits there are. State a smaller "
                  "bound of an input or with within(), use fewer bits in the session, or round a factor first",
                  what, bound, bits, most_bits));
}

unsigned bits_for(const Session& session, double bound) {
  const int room = operand_bits - std::max(magnitude(bound), 0);
  return static_cast<unsigned>(std::clamp(room, 0, static_cast<int>(session.options().bits)));
}

void require_same_session(const Secret& x, const Secret& y) {
  if (&x.session() != &y.session()) throw std::invalid_argument("two secrets of different sessions");
}

std::optional<PublicFactor> factor_of(double factor, int significant) {
  require_public(factor);
  if (factor == 0) return PublicFactor{0, 0};
  const Rounded exact = rounded_to(factor, significant);
  if (exact.exponent < -62 || exact.exponent > 62 - most_significant) return std::nullopt;
  const std::uint64_t word = exact.odd << std::max(exact.exponent, 0);
  return PublicFactor{factor < 0 ? std::uint64_t{0} - word : word, static_cast<unsigned>(std::max(-exact.exponent, 0))};
}

std::optional<PublicFactor> factor_for(double factor, int used, int comfortable) {
  const int size = magnitude(std::abs(factor));
  for (int significant = most_significant; significant >= least_significant; --significant) {
    const auto rounded = factor_of(factor, significant);
    if (!rounded) return std::nullopt;
    const bool exact =
        std::ldexp(static_cast<double>(to_signed(rounded->word)), -static_cast<int>(rounded->bits)) == factor;
    const int most = exact || significant == least_significant ? most_bits : comfortable;
    if (used + size + static_cast<int>(rounded->bits) <= most) return rounded;
  }
  return std::nullopt;
}

Matrix numbers_of(const Public& value) {
  const Shape shape = value.shape();
  Matrix numbers = Matrix::Constant(static_cast<Eigen::Index>(shape.rows), static_cast<Eigen::Index>(shape.columns),
                                    std::numeric_limits<double>::quiet_NaN());
  value.if_known([&](const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) numbers.data()[i] = decode(words[i], value.scale());
  });
  return numbers;
}

std::vector<std::uint64_t> encoded(const Matrix& values, unsigned bits) {
  std::vector<std::uint64_t> words(shape_of(values).lanes());
  for (std::size_t i = 0; i < words.size(); ++i) {
    require_public(values.data()[i]);
    words[i] = encode(values.data()[i], bits);
  }
  return words;
}

PublicFactors factors_for(const Matrix& values, int used, const char* what) {
  double largest = 0;
  int finest = 0;  // number of fraction bits that represents all values
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double value = values.data()[i];
    require_public(value);
    if (value == 0) continue;
    largest = std::max(largest, std::abs(value));
    finest = std::max(finest, -rounded_to(value, most_significant).exponent);
  }
  const int size = std::max(magnitude(largest), of_nothing);
  const int wanted = std::min(finest, std::max(most_significant - size, 0));
  const int bits = std::min(wanted, std::max(comfortable_bits - used - size, least_significant - size));
  if (bits > 62 || used + size + std::max(bits, 0) > most_bits) require_room(largest, 62, what);
  const auto fraction = static_cast<unsigned>(std::max(bits, 0));
  return {encoded(values, fraction), fraction};
}

Secret raised(const Secret& x, unsigned bits) {
  if (bits == x.bits()) return x;
  require_room(x.bound(), bits, "more fraction bits");
  const unsigned more = bits - x.bits();
  const std::uint64_t factor = std::uint64_t{1} << more;
  const Masked* masked = SecretAccess::masked(x);
  if (masked != nullptr)
    return SecretAccess::make(x.session(), masked->times(factor, more), x.bound(), SecretAccess::origin(x));
  return SecretAccess::make(x.session(), SecretAccess::shares(x).times(factor, more), x.bound(),
                            SecretAccess::origin(x));
}

Shape common_shape(Shape x, Shape y, const char* what) {
  const auto common = [&](std::size_t a, std::size_t b) {
    if (a != b && a != 1 && b != 1) {
      throw std::invalid_argument(fmt::format("{} of shapes {} and {}", what, to_string(x), to_string(y)));
    }
    return a == 1 ? b : a;
  };
  const std::size_t rows = common(x.rows, y.rows);
  return Shape{rows, common(x.columns, y.columns)};
}

namespace {

unsigned excess(const Secret& x, const Wanted& wanted) {
  const int words = word_bits(x) - wanted.word_bits;
  const int bits = static_cast<int>(x.bits()) - static_cast<int>(wanted.bits);
  return static_cast<unsigned>(std::max({words, bits, 0}));
}

bool fits(const Masked& value, const Wanted& wanted) { return value.largest_carry_shift() <= wanted.shift; }

// Returns the form of x that meets `wanted`, or null if x has no such form yet.
const Masked* as_wanted(const Secret& x, const Wanted& wanted) {
  const unsigned drop = excess(x, wanted);
  const SecretForm& form = SecretAccess::form(x);
  if (drop == 0) {
    const Masked* masked = SecretAccess::masked(x);
    return masked != nullptr && fits(*masked, wanted) ? masked : nullptr;
  }
  if (!form.rounded || !fits(*form.rounded, wanted)) return nullptr;
  // The rounded form must have exactly x.bits() - drop fraction bits. A form with more bits would not fit, and a form
  // with fewer bits would have a larger error.
  return form.rounded->scale() + drop == x.bits() ? &*form.rounded : nullptr;
}

void require_fraction(const Secret& x, unsigned drop) {
  if (drop < x.bits() && x.bits() - drop >= std::min(least_fraction, x.bits())) return;
  throw BoundError(fmt::format(
      "a product: factors with a bound of {:.6g} leave fewer than {} fraction bits; state a smaller bound of "
      "an input or with within()",
      x.bound(), least_fraction));
}

}  // namespace

bool is_ready(const Secret& x, const Wanted& wanted) { return as_wanted(x, wanted) != nullptr; }

Task<Masked> ready(Secret x, Wanted wanted) {
  const Masked* const at_once = as_wanted(x, wanted);
  if (at_once != nullptr) co_return *at_once;
  Party& party = x.session().party();
  const unsigned drop = excess(x, wanted);
  Arith shares = SecretAccess::shares(x);
  (void)Derivation(x.session(), drop == 0 ? "mask" : "round").from(x).by(drop).operation(x.shape());
  if (drop == 0) {
    Masked fresh = co_await protocols::mask(party, std::move(shares), "mask");
    SecretAccess::form(x).value = fresh;
    co_return fresh;
  }
  require_fraction(x, drop);
  Masked rounded = co_await protocols::mask_trunc(party, std::move(shares), drop, "round");
  if (!fits(rounded, wanted)) rounded = co_await protocols::mask(party, rounded.shares(party), "mask");
  SecretAccess::form(x).rounded = rounded;
  co_return rounded;
}

Task<std::vector<Masked>> all_ready(std::vector<Secret> operands, std::vector<Wanted> wanted) {
  std::vector<Masked> result(operands.size());
  std::vector<Task<Masked>> tasks;
  std::vector<std::size_t> places;
  // The index of the first occurrence of each operand, because a repeated operand is masked only once.
  std::vector<std::size_t> same(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    same[i] = i;
    if (const Masked* const at_once = as_wanted(operands[i], wanted[i])) {
      result[i] = *at_once;
      continue;
    }
    for (const std::size_t place : places) {
      const bool alike = &SecretAccess::form(operands[place]) == &SecretAccess::form(operands[i]) &&
                         excess(operands[place], wanted[place]) == excess(operands[i], wanted[i]);
      if (alike) same[i] = place;
    }
    if (same[i] != i) continue;
    places.push_back(i);
    tasks.push_back(ready(operands[i], wanted[i]));
  }
  if (!tasks.empty()) {
    std::vector<Masked> made = co_await when_all(std::move(tasks));
    for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = std::move(made[i]);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (same[i] != i) result[i] = result[same[i]];
  }
  co_return result;
}

}  // namespace sotto::detail
