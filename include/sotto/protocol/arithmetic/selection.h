// selection: computes, without a message, sums of the entries that secret bits select. The bits are either the input of
// one role, or shared among the parties.
//
// Functionality   share_bits: the owner's bits b -> D = b ^ beta public, beta known to the owner (and the dealer).
//                 mask_bits:  bits b in shares -> D = b ^ beta public, beta known to the dealer only.
//                 shares_of:  masked bits -> shares of the bits in Z/2^64.
//                 xor_shares_of: masked bits -> XOR shares of the bits.
//                 select:     masked bits b and a masked value y -> shares of a bilinear map of b and y.
//                 both:       masked bits b and c -> shares of a bilinear map of b and c.
// How             b = D + (1 - 2 D) beta. For a masked value y = Y - mu, it follows that
//                     b y = D y + (1 - 2 D) ([beta] Y - [beta mu]).
//                 The bit beta is the lowest bit of a mask in Z/2^64. The parts of the mask add up to the mask, so the
//                 XOR of their lowest bits is beta. Each pair of the map needs its own [beta mu], since each [beta mu]
//                 is multiplied by a public bit of its pair. For a second bit c = E + (1 - 2 E) gamma,
//                     b c = D c + (1 - 2 D) (E [beta] + (1 - 2 E) [beta gamma]).
// Rounds, bytes   share_bits: 1 round, in which the owner sends one bit per lane, in words of 8 bytes, to each compute
//                 party. Dealt: the mask of an input, and 64 bits per lane.
//                 mask_bits: 1 round, in which each party sends one byte per lane to each other party. For bits that
//                 are XOR shares, each party sends one bit per lane, in words of 8 bytes. Dealt: 64 bits per lane.
//                 shares_of, xor_shares_of: none.
//                 select, both: no round. Dealt: 64 bits per pair. With a dealer, a product of masked words is cheaper
//                 than a selection by bits: it takes 64 bits for a whole sum. With oblivious transfers
//                 (protocols/preprocessing/transfers/), a product of masked words costs more: 260 bytes per pair, where
//                 a selection by bits takes 8 (selects_by_bits).
// Primitive       different roles run different steps
// Views           D is uniform to all roles except the owner. select and both reveal nothing.
// Ranges          exact in Z/2^64. Only the lowest bit of each of the owner's words counts. The result has y's scale.
// Throws          std::invalid_argument if shapes do not fit, if y has carry terms, or if the owner brings a wrong
//                 number of words. The same exception is thrown if mask_bits gets a value that is not in Z/2^64, or XOR
//                 shares of more than one bit. Without a dealer, select and both work for two parties only.
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

// True if, in this run, products by bits cost less than products by masked words.
[[nodiscard]] bool selects_by_bits(const Party& party);

// Masked bits, one per lane.
struct MaskedBits {
  Shape shape;
  Words words;       // D, at a compute party
  BitMask beta;      // beta, in the lowest bits
  Additive numbers;  // beta in Z/2^64
};

[[nodiscard]] Task<MaskedBits> share_bits(Party& party, NodeId owner, Input input, Label label);
// Masks the lowest bit of each lane.
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, const Arith& bits, Label label);
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, Bool bits, Label label);

// The bits as shares in Z/2^64.
[[nodiscard]] Arith shares_of(const Party& party, const MaskedBits& bits);
// The bits as XOR shares, one bit wide.
[[nodiscard]] Bool xor_shares_of(const Party& party, const MaskedBits& bits);

// The bits of the first rows; `rows` is the number of these rows.
[[nodiscard]] MaskedBits first_rows(const MaskedBits& bits, std::size_t rows);

// A map of bits and a masked value: the bits are the map's left operand.
[[nodiscard]] Arith select(Party& party, const BilinearMap& map, const MaskedBits& bits, const Masked& y);
// A map of bits and bits: both operands are bits. The result has no fraction bits.
[[nodiscard]] Arith both(Party& party, const BilinearMap& map, const MaskedBits& left, const MaskedBits& right);

}  // namespace sotto::protocols
