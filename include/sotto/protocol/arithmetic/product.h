// product: shares of a bilinear map of two masked values, without a message.
//
// With x = Dx - mx and y = Dy - my, and B any bilinear map (bilinear.h):
//     B(x, y) = B(Dx, Dy) - B(Dx, my) - B(mx, Dy) + B(mx, my).
// The first three terms on the right are local. The dealer deals the last term, summed over the inner dimension, so a
// dot product of any length costs one dealt word. The protocol is Beaver's triple with reused openings: a value is
// masked only once, for all of the products that it enters. [Beaver, CRYPTO 91; Turbospeedz, eprint 2019/080; ABY2.0,
// eprint 2020/1225]
//
// A mask with a carry term is m = mu + k g, where k becomes public only during the run. With carry terms, B(mx, my)
// also needs [g_x mu_y] and [mu_x g_y] for each pair of the map. The terms with g = 2^(64-f) h are dealt as h mu in
// Z/2^f. The code checks that the shifts of two carry terms add up to at most 64 bits, so that the terms g_x g_y
// vanish.
//
// Costs           `product` | 0 | 0 | 8 an output lane, and f bits a pair for each carry term of an operand
//                 `pending_product` | 0 | 0 | f bits a pair for each carry term of an operand
//                 `multiply` | 1 | 16 L | as `product`
// Rounds, bytes   none; dealt: 8 bytes per output lane, and f bits per pair for each carry term of each operand. If a
//                 truncation follows, the 8 bytes per lane are not dealt (include/sotto/protocol/sharing/arith.h).
// Primitive       different roles run different steps
// Views           the roles see nothing new. The output's shares are fresh: the dealt sharing of B(mux, muy) is
//                 uniform.
// Ranges          exact in Z/2^64. The output's scale is the sum of the operands' scales.
// Throws          std::invalid_argument if shapes do not fit, or if shifts add up to more than 64 bits. The same
//                 exception is thrown if an operand was truncated by more than 32 bits and then multiplied by public
//                 factors that are too large (Masked::require_operand).
#pragma once

#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The product without the dealer's term, to be passed to mask_trunc. Only the pairs for carry terms are dealt. The low
// `bits` bits of the result are those of the product; the higher bits may be anything.
[[nodiscard]] PendingProduct pending_product_of(Party& party, const BilinearMap& map, const Masked& x, const Masked& y,
                                                unsigned bits = 64);

// pending_product_of for a map that is given only by its type, as in pending_product<RowDot>(party, u, x).
template <class Map>
[[nodiscard]] PendingProduct pending_product(Party& party, const Masked& x, const Masked& y) {
  return pending_product_of(party, Map(x.shape(), y.shape()), x, y);
}

// Deals the term that pending_product left out, 8 bytes per lane. The result consists of complete shares, which may be
// used for anything.
[[nodiscard]] Arith materialize(Party& party, PendingProduct value);

[[nodiscard]] inline Arith product(Party& party, const BilinearMap& map, const Masked& x, const Masked& y,
                                   unsigned bits = 64) {
  return materialize(party, pending_product_of(party, map, x, y, bits));
}

// One function for each map. The shapes of the map are the shapes of the operands.
[[nodiscard]] Arith elementwise(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith row_dot(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith row_scale(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith symmetric_matvec(Party& party, const Masked& matrices, const Masked& y);
[[nodiscard]] Arith symmetric_outer(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith matmul(Party& party, const Masked& x, const Masked& y);

// The classic Beaver step: masks both operands in one round, then takes the element-wise product. 1 round, 16 bytes per
// lane to each party.
[[nodiscard]] Task<Arith> multiply(Party& party, Arith x, Arith y, Label label);

// value + constant in every lane. The constant is at the value's scale, and party 0 adds it. Local.
[[nodiscard]] Arith plus(const Party& party, Arith value, std::uint64_t constant);
[[nodiscard]] PendingProduct plus(const Party& party, PendingProduct value, std::uint64_t constant);
// value + factor * other, where the factor has `added_scale` fraction bits. Local. Throws std::invalid_argument if
// shapes or scales differ.
[[nodiscard]] PendingProduct plus_multiple(const Party& party, PendingProduct value, const Masked& other,
                                           std::uint64_t factor, unsigned added_scale);

// multiply_with_triples: the product of two shared values with a classic Beaver triple.
//
// Functionality   [x], [y] in Z/2^w -> [x y], element by element. A triple has uniform a and b, and c = ab.
//                 1. Open d = x - a and e = y - b.
//                 2. xy = c + d b + e a + d e; party 0 adds the last term. [Beaver, CRYPTO 91]
// Costs           `multiply_with_triples` | 1 | 2 ring elements a lane | one ring element a lane
// Rounds, bytes   1 round, 2 ring elements per lane to each party; dealt: w bits per lane, since a and b are expansions
//                 of the parties' seeds.
// Views           d and e are uniform, since no group of n-1 parties knows a or b. The output's shares are fresh: the
//                 dealt sharing of c is uniform.
// Ranges          exact in the ring. The output's scale is the sum of the operands' scales.
// Throws          std::invalid_argument if shapes or rings differ.
//
// multiply() also multiplies two shared values, but with masks that further products may reuse. The triples of
// multiply_with_triples are random and independent of the program, so they may come from any preprocessing, even from
// one without a dealer.

[[nodiscard]] Task<Arith> multiply_with_triples(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
