#include "sotto/protocol/math/exp.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"

namespace sotto::protocols {

namespace {
constexpr unsigned halvings = 8;
}

Task<Masked> exp(Party& party, Masked x) {
  const unsigned f = x.scale();
  if (f > 24) throw std::invalid_argument("exp takes at most 24 fraction bits");
  // x at f bits is x / 256 at f + 8 bits: no work, no error.
  const unsigned wide = f + halvings;
  Masked power = x.times(1, halvings).plus(std::uint64_t{1} << wide);
  for (unsigned step = 0; step < halvings; ++step) {
    PendingProduct square = pending_product<Elementwise>(party, power, power);
    const unsigned drop = step + 1 == halvings ? 2 * wide - f : wide;
    power = co_await mask_trunc(party, std::move(square), drop, "exp square");
  }
  co_return power;
}

}  // namespace sotto::protocols
