// selection: sums of what bits select that one role brings, or that are in shares, without a message.
//
// Functionality   share_bits: the owner's bits b -> D = b ^ beta public, beta known to the owner (and the dealer).
//                 mask_bits:  bits b in shares -> D = b ^ beta public, beta known to the dealer alone.
//                 shares_of:  such bits -> their shares in Z/2^64.
//                 xor_shares_of: such bits -> their XOR shares.
//                 select:     such bits and a masked value y -> shares of a bilinear map of b and y.
//                 both:       such bits b and c -> shares of a bilinear map of b and c.
// How             b = D + (1 - 2 D) beta, so that with y = Y - mu
//                     b y = D y + (1 - 2 D) ([beta] Y - [beta mu]).
//                 beta is the lowest bit of a mask in Z/2^64: its parts add up to it, so their lowest bits XOR to
//                 beta. Each pair of the map needs a [beta mu] of its own, as it is multiplied by a public bit. With
//                 c = E + (1 - 2 E) gamma,
//                     b c = D c + (1 - 2 D) (E [beta] + (1 - 2 E) [beta gamma]).
// Rounds, bytes   share_bits: 1 round, the owner sends a bit a lane, in words of 8 bytes, to each compute party. Dealt:
//                 the mask of an input and 64 bits a lane. mask_bits: 1 round, each party sends a byte a lane to each
//                 other party, or a bit, in words of 8 bytes, where the bits are XOR shares; dealt: 64 bits a lane.
//                 shares_of, xor_shares_of: none. select, both: no round; dealt: 64 bits a pair. With a
//                 dealer a product of masked words is cheaper: 64 bits for a whole sum. By transfers
//                 (protocols/preprocessing/transfers/) it is dearer: 260 bytes a pair, where a bit takes 8
//                 (selects_by_bits).
// Primitive       what the roles do differs
// Who sees what   D is uniform, to all but an owner. Nobody sees anything of select and both.
// Ranges          exact in Z/2^64; of the owner's words the lowest bit counts. The result has y's scale.
// Throws          std::invalid_argument where shapes do not fit, y has carry terms, or the owner brings another number
//                 of words; where mask_bits gets a value that is not in Z/2^64, or XOR shares of more than one bit.
//                 Without a dealer select and both are for two parties.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bilinear_map.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Whether products by bits cost less than products by masked words in this run.
[[nodiscard]] bool selects_by_bits(const Party& party);

// Bits that are masked, a lane each.
struct MaskedBits {
  Shape shape;
  Words words;       // D, at a compute party
  BitMask beta;      // in the lowest bits
  Additive numbers;  // beta in Z/2^64
};

[[nodiscard]] Task<MaskedBits> share_bits(Party& party, NodeId owner, Input input, Label label);
// Of each lane the lowest bit.
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, const Arith& bits, Label label);
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, Bool bits, Label label);

// In Z/2^64.
[[nodiscard]] Arith shares_of(const Party& party, const MaskedBits& bits);
// One bit wide.
[[nodiscard]] Bool xor_shares_of(const Party& party, const MaskedBits& bits);

// The first rows of them.
[[nodiscard]] MaskedBits first_rows(const MaskedBits& bits, std::size_t rows);

// The map's left operand are the bits.
[[nodiscard]] Arith select(Party& party, const BilinearMap& map, const MaskedBits& bits, const Masked& y);
// Of both operands. Sums have no fraction bits.
[[nodiscard]] Arith both(Party& party, const BilinearMap& map, const MaskedBits& left, const MaskedBits& right);

}  // namespace sotto::protocols
