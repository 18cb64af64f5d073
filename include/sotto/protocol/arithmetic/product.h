// product: shares of a bilinear map of two masked values, without a message.
//
// Let x = Dx - mx with a public Dx and a shared mask mx, and likewise y = Dy - my. For any bilinear map B (bilinear.h),
//     B(x, y) = B(Dx, Dy) - B(Dx, my) - B(mx, Dy) + B(mx, my).
// Each party computes its shares of the first three terms. The dealer deals the last term, summed over the inner
// dimension, so a dot product of any length costs one dealt word. This is Beaver's triple with reused openings: a value
// is masked once for all of its products. [Beaver, CRYPTO 91; Turbospeedz, eprint 2019/080; ABY2.0, eprint 2020/1225]
//
// A mask with a carry term is m = mu + k g (masked.h), where k becomes public only during the run. For B(mx, my), the
// parties then also need shares of g_x mu_y and of mu_x g_y, for each pair of entries that the map multiplies. After a
// truncation by f bits, g is 2^(64-f) h for a bit h. So the dealer deals shares of h mu in Z/2^f. The shifts f of two
// carry terms must add up to at most 64 bits, so that g_x g_y = 0.
//
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `product` | 0 | 0 | 8 an output lane, and f bits a pair for each carry term of an operand
//                 `pending_product` | 0 | 0 | f bits a pair for each carry term of an operand
//                 `multiply` | 1 | 16 L | as `product`
// Primitive       the code takes different steps at different roles
// Views           The output's shares are fresh, because the dealt sharing of B(mu_x, mu_y) is uniform.
// Ranges          exact in Z/2^64; the scales of the operands add up.
// Throws          std::invalid_argument if shapes do not fit, if shifts add up to more than 64 bits, or if
//                 Masked::require_operand() refuses an operand.
#pragma once

#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The product without the dealer's term, for mask_trunc. Only the low `bits` bits of the product are right.
[[nodiscard]] PendingProduct pending_product_of(Party& party, const BilinearMap& map, const Masked& x, const Masked& y,
                                                unsigned bits = 64);

template <class Map>
[[nodiscard]] PendingProduct pending_product(Party& party, const Masked& x, const Masked& y) {
  return pending_product_of(party, Map(x.shape(), y.shape()), x, y);
}

// Adds the missing term, for which the dealer deals 8 bytes per lane.
[[nodiscard]] Arith materialize(Party& party, PendingProduct value);

[[nodiscard]] inline Arith product(Party& party, const BilinearMap& map, const Masked& x, const Masked& y,
                                   unsigned bits = 64) {
  return materialize(party, pending_product_of(party, map, x, y, bits));
}

[[nodiscard]] Arith elementwise(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith row_dot(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith row_scale(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith symmetric_matvec(Party& party, const Masked& matrices, const Masked& y);
[[nodiscard]] Arith symmetric_outer(Party& party, const Masked& x, const Masked& y);
[[nodiscard]] Arith matmul(Party& party, const Masked& x, const Masked& y);

// Beaver's multiplication: masks both operands in one round, then multiplies element by element.
[[nodiscard]] Task<Arith> multiply(Party& party, Arith x, Arith y, Label label);

// Adds the constant to every lane. The constant must have as many fraction bits as the value.
[[nodiscard]] Arith plus(const Party& party, Arith value, std::uint64_t constant);
[[nodiscard]] PendingProduct plus(const Party& party, PendingProduct value, std::uint64_t constant);
// value + factor * other, where the factor has `added_scale` fraction bits. Throws std::invalid_argument if shapes or
// scales differ.
[[nodiscard]] PendingProduct plus_multiple(const Party& party, PendingProduct value, const Masked& other,
                                           std::uint64_t factor, unsigned added_scale);

// multiply_with_triples: the product of two shared values with a classic Beaver triple.
//
// Functionality   [x], [y] in Z/2^w -> [x y], element by element. With a triple of uniform a and b, and c = ab, the
//                 parties open d = x - a and e = y - b. Then xy = c + d b + e a + d e; party 0 adds the last term.
//                 [Beaver, CRYPTO 91]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `multiply_with_triples` | 1 | 2 ring elements a lane | one ring element a lane
// Views           d and e are uniform, since no group of n-1 parties knows a or b. The output's shares are fresh,
//                 because the dealt sharing of c is uniform.
// Ranges          exact in the ring; the scales of the operands add up.
// Throws          std::invalid_argument if shapes or rings differ.

[[nodiscard]] Task<Arith> multiply_with_triples(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
