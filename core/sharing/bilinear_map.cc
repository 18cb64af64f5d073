#include "sotto/protocol/sharing/bilinear_map.h"

#include "core/ring/kernels.h"

namespace sotto {

Words BilinearMap::shares_of(const MaskedOperand& value, bool adds_constants) {
  Words shares(value.mask.size());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (adds_constants ? value.d[i] : 0) - value.mask[i];
  return shares;
}

Words BilinearMap::negated(const Words& words) {
  constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  Words result(words.size());
  kernels().scale(result.data(), minus_one, words.data(), words.size());
  return result;
}

Words BilinearMap::local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const {
  Words sum(out.lanes(), 0);
  if (y.d.size() <= x.d.size()) {
    add_product(sum.data(), x.d.data(), shares_of(y, adds_constants).data());
    add_product(sum.data(), x.mask.data(), negated(y.d).data());
  } else {
    add_product(sum.data(), shares_of(x, adds_constants).data(), y.d.data());
    add_product(sum.data(), negated(x.d).data(), y.mask.data());
  }
  return sum;
}

}  // namespace sotto
