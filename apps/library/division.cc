#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "apps/library/curves.h"
#include "apps/library/form.h"
#include "sotto/protocol/math/leading_bit.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto {
namespace {

// A divisor and a power of two have at most this number of bits each, so their product fits a word.
constexpr int divisor_bits = 30;
constexpr unsigned factor_bits = 24;  // number of fraction bits of a factor that is no power of two

// A positive number y = t 2^e with 1/2 <= t < 1. The secret bits `below` determine the secret e.
struct Sized {
  Secret y;
  std::vector<Arith> below;  // [y < 2^i]
  unsigned low;
  unsigned high;

  // Returns w(e) as a secret, for the public function w, whose values are at most `bound`.
  [[nodiscard]] Secret of(const std::function<double(int)>& w, double bound, unsigned bits) const {
    std::vector<std::uint64_t> words;
    for (unsigned i = low; i <= high; ++i) words.push_back(encode(w(exponent(i)), bits));
    Arith value = protocols::by_size(y.session().party(), below, words, bits);
    const detail::Origin origin = detail::Derivation(y.session(), "by size").from(y).by(words).by(bits).origin();
    return detail::SecretAccess::make(y.session(), std::move(value), bound, origin);
  }
  [[nodiscard]] Secret to_unit() const {
    const int most = -exponent(low);
    const int least = -exponent(high);
    const unsigned bits = static_cast<unsigned>(std::max(-least, 0));
    return of([](int e) { return std::ldexp(1.0, -e); }, std::ldexp(1.0, most), bits);
  }
  [[nodiscard]] int exponent(unsigned i) const { return static_cast<int>(i) - static_cast<int>(y.bits()); }
};

// The caller promises that y is at least `least`. If the result's member `low` is 0, y may also be 0.
Task<Sized> sized(Secret y, double least) {
  const unsigned fine = detail::bits_for(y.session(), y.bound());
  if (y.bits() < fine) y = detail::raised(y, fine);
  const detail::Wanted narrow{.word_bits = divisor_bits, .shift = 64 - divisor_bits - 3};
  Masked value = co_await detail::ready(y, narrow);
  const unsigned bits = value.scale();
  const double bound = y.bound() + std::ldexp(1.0, -static_cast<int>(bits));
  const auto high = static_cast<unsigned>(std::max(detail::magnitude(bound * (1 + 1e-9)) + static_cast<int>(bits), 1));
  // One unit is subtracted, because rounding may have changed the last bit of y.
  const double lowest = std::ldexp(least, static_cast<int>(bits)) - 1;
  const int low = lowest < 1 ? 0 : std::ilogb(lowest) + 1;
  const auto from = std::min(static_cast<unsigned>(low), high - 1);
  detail::Derivation made(y.session(), "size");
  made.from(y).by(from).by(high);
  if (bits < y.bits()) made.rounded_to(bits);
  Secret exactly = detail::SecretAccess::make(y.session(), value, y.bound(), made.operation(y.shape()));
  std::vector<Arith> below = co_await protocols::below_powers(y.session().party(), std::move(value), from, high);
  Sized result{std::move(exactly), std::move(below), from, high};
  co_return result;
}

Task<Secret> masked(Secret x) {
  const detail::Wanted any;
  Masked value = co_await detail::ready(x, any);
  co_return detail::SecretAccess::make(x.session(), std::move(value), x.bound(), detail::SecretAccess::origin(x));
}

Curve on_unit(const Session& session, double (*f)(double)) {
  return Curve{f, 0.5, 1, 0, 0, detail::curve_error(session)};
}

void require_least(const Secret& y, double least) {
  if (least > 0 && least <= y.bound()) return;
  throw std::invalid_argument("the smallest size is above 0, and not above the bound");
}

Task<Secret> quotient(Secret x, Secret y, double least) {
  const double bound = x.bound() / least;
  const Sized divisor = co_await sized(y, least);
  const Secret to_unit = co_await masked(divisor.to_unit());
  Product unit = (divisor.y * to_unit).within(1);
  Product scaled = (x * to_unit).within(bound);
  auto [t, u] = co_await all(std::move(unit), std::move(scaled));
  Secret inverse = co_await detail::within_range("1/t", t, on_unit(t.session(), [](double v) { return 1 / v; }));
  co_return co_await (u * inverse).within(bound);
}

// Computes g(y) = f(t) w(e) for y = t 2^e and a multiplicative function g.
Task<Secret> of_parts(std::string name, Secret y, double least, double (*f)(double), double (*w)(int), double bound) {
  const Sized parts = co_await sized(y, least);
  const bool has_zero = parts.low == 0;
  const double largest = std::max(w(parts.exponent(parts.low)), w(parts.exponent(parts.high)));
  const unsigned bits =
      std::min(factor_bits, static_cast<unsigned>(std::max(divisor_bits - detail::magnitude(largest), 1)));
  Secret power = parts.of([&](int e) { return has_zero && e == parts.exponent(0) ? 0 : w(e); }, largest, bits);
  const Secret to_unit = co_await masked(parts.to_unit());
  Product unit = (parts.y * to_unit).within(1);
  auto [t, factor] = co_await all(rounded(std::move(unit)), masked(std::move(power)));
  Secret value = co_await detail::within_range(std::move(name), t, on_unit(t.session(), f));
  co_return co_await (value * factor).within(bound);
}

}  // namespace

Task<Secret> divide(Secret x, Secret y, double least) {
  require_least(y, least);
  return quotient(std::move(x), std::move(y), least);
}

Task<Secret> reciprocal(Secret y, double least) {
  require_least(y, least);
  return of_parts(
      "1/t", std::move(y), least, [](double t) { return 1 / t; }, [](int e) { return std::exp2(-e); }, 1.001 / least);
}

Task<Secret> sqrt(Secret x) {
  const double bound = std::sqrt(x.bound()) + 1e-5;
  return of_parts(
      "sqrt", std::move(x), 0, [](double t) { return std::sqrt(t); }, [](int e) { return std::exp2(e / 2.0); }, bound);
}

Task<Secret> inverse_sqrt(Secret x, double least) {
  require_least(x, least);
  return of_parts(
      "1/sqrt", std::move(x), least, [](double t) { return 1 / std::sqrt(t); },
      [](int e) { return std::exp2(-e / 2.0); }, 1.001 / std::sqrt(least));
}

Task<Secret> log(Secret x, double least) {
  require_least(x, least);
  const Sized parts = co_await sized(x, least);
  const double size = std::max(std::abs(std::log(least)), std::abs(std::log(x.bound())));
  const Secret exponent = parts.of([](int e) { return e * std::log(2.0); }, size + 1, factor_bits);
  const Secret to_unit = co_await masked(parts.to_unit());
  Secret t = co_await (parts.y * to_unit).within(1);
  Secret value = co_await detail::within_range("log", t, on_unit(t.session(), [](double v) { return std::log(v); }));
  co_return (value + exponent).within(size + 1e-4);
}

Task<Secret> row_softmax(Secret x) {
  const double columns = static_cast<double>(x.columns());
  const Secret largest = co_await row_max(x);
  const Secret below = x - largest;
  Secret power = co_await exp(below, 0);
  const Secret total = row_sums(power);
  Secret share = co_await divide(power, total.within(columns * 1.001), 0.99);
  co_return share.within(1.001);
}

}  // namespace sotto
