#include "sotto/protocol/math/pieces.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

// Shares in Z/2^64 of c_k 2^(64 - w_k).
Arith coefficient(Party& party, const MaskedIndex& piece, const Pieces& pieces, std::size_t k) {
  const TableFunction entry = [&](std::size_t, std::uint64_t i) {
    return static_cast<std::uint64_t>(pieces.coefficients[i][k]) & ring_mask(pieces.rings[k]);
  };
  const unsigned raise = 64 - pieces.rings[k];
  return table_lookup(party, piece, pieces.rings[k], entry, pieces.exceeds)
      .scaled_up(raise)
      .times(1, pieces.coefficient_bits + raise);
}

}  // namespace

Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces) {
  const unsigned f = pieces->fraction_bits;
  if (x.scale() != f) throw std::invalid_argument("pieces for other fraction bits than the value has");

  // 1. The coefficients, and the square.
  const Masked above = x.plus(std::uint64_t{0} - encode(pieces->least, f));
  const MaskedIndex piece = MaskedIndex::bit_range(above, f - pieces->piece_bits, pieces->index_bits);
  const Arith constant = coefficient(party, piece, *pieces, 0);
  Arith linear = coefficient(party, piece, *pieces, 1);
  Arith square = coefficient(party, piece, *pieces, 2);
  PendingProduct xx = pending_product<Elementwise>(party, x, x);
  auto [c1, c2, x2] = co_await when_all(mask_trunc(party, std::move(linear), 64 - pieces->rings[1], "c1"),
                                        mask_trunc(party, std::move(square), 64 - pieces->rings[2], "c2"),
                                        mask_trunc(party, std::move(xx), f, "x squared"));

  // 2. The parabola.
  PendingProduct sum = pending_product<Elementwise>(party, c1, x);
  sum += pending_product<Elementwise>(party, c2, x2);
  sum += constant;
  const unsigned drop = pieces->coefficient_bits + f - pieces->result_bits;
  co_return co_await mask_trunc(party, std::move(sum), drop, "parabola");
}

}  // namespace sotto::protocols
