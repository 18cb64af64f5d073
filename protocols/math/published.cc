#include "sotto/protocol/math/published.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::protocols {
namespace {

constexpr unsigned halvings = 8;

constexpr int newton_steps = 7;

std::uint64_t fixed(double value, unsigned f) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, static_cast<int>(f))));
}

}  // namespace

Task<Masked> exp(Party& party, Masked x) {
  const unsigned f = x.scale();
  if (f > 24) throw std::invalid_argument("exp takes at most 24 fraction bits");
  // The word of x at f bits is also the word of x / 256 at f + 8 bits.
  const unsigned wide = f + halvings;
  Masked power = x.times(1, halvings).plus(std::uint64_t{1} << wide);
  for (unsigned step = 0; step < halvings; ++step) {
    PendingProduct square = pending_product<Elementwise>(party, power, power);
    const unsigned drop = step + 1 == halvings ? 2 * wide - f : wide;
    power = co_await mask_trunc(party, std::move(square), drop, "exp square");
  }
  co_return power;
}

Task<Masked> published_reciprocal(Party& party, Masked d) {
  const unsigned f = d.scale();
  Masked exponent = (-d).plus(fixed(0.5, f));
  const Masked power = co_await exp(party, std::move(exponent));
  // exp leaves a carry term of f + 16 bits, too wide for a square, so the start is masked again.
  const Masked start = power.times(3).plus(fixed(0.003, f));
  Masked y = co_await mask(party, start.shares(party), "newton start");
  for (int step = 0; step < newton_steps; ++step) {
    PendingProduct square = pending_product<Elementwise>(party, y, y);
    const Masked y_squared = co_await mask_trunc(party, std::move(square), f, "newton square");
    PendingProduct next =
        -pending_product<Elementwise>(party, d, y_squared) + y.shares(party).times(std::uint64_t{2} << f, f);
    y = co_await mask_trunc(party, std::move(next), f, "newton step");
  }
  co_return y;
}

}  // namespace sotto::protocols
