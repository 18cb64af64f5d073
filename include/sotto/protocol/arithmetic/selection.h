// selection: sums of the entries that secret bits select, without a message.
//
// Functionality   share_bits: the owner's bits b -> D = b ^ beta public, beta known to the owner (and the dealer).
//                 mask_bits:  bits b in shares -> D = b ^ beta public, beta known to the dealer only.
//                 shares_of:  masked bits -> shares of the bits in Z/2^64.
//                 xor_shares_of: masked bits -> XOR shares of the bits.
//                 select:     masked bits b and a masked value y -> shares of a bilinear map of b and y.
//                 both:       masked bits b and c -> shares of a bilinear map of b and c.
// How             b = D + (1 - 2 D) beta. A masked value is y = Y - mu, with a public Y and a mask mu. So
//                     b y = D y + (1 - 2 D) ([beta] Y - [beta mu]).
//                 The bit beta is the lowest bit of a mask in Z/2^64, and so the XOR of the lowest bits of the mask's
//                 shares. Each pair of a bit and an entry that the map multiplies needs its own [beta mu], because the
//                 bit's public D multiplies [beta mu]. For a second bit c = E + (1 - 2 E) gamma,
//                     b c = D c + (1 - 2 D) (E [beta] + (1 - 2 E) [beta gamma]).
// Rounds, bytes   share_bits: 1 round. The owner sends each compute party one bit per lane, in words of 8 bytes. The
//                 dealer deals the owner's mask (Preprocessing::input_mask), and 64 bits per lane.
//                 mask_bits: 1 round. Each party sends each other party one byte per lane, or one bit per lane if the
//                 bits are in XOR shares. Dealt: 64 bits per lane.
//                 select, both: no round. Dealt: 64 bits per pair.
// Primitive       the code takes different steps at different roles
// Views           D is uniform to all roles except the owner. select() and both() reveal nothing.
// Ranges          Exact in Z/2^64, at y's scale. Only the lowest bit of each of the owner's words counts.
// Throws          std::invalid_argument if shapes do not fit, if y has carry terms, or if the owner passes a wrong
//                 number of words. mask_bits throws std::invalid_argument for values outside Z/2^64, and for XOR shares
//                 of more than one bit. Without a dealer, select works for two parties only, and both throws
//                 std::invalid_argument.
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

// True if select() costs less in this run than product() with the bits as masked words.
[[nodiscard]] bool selects_by_bits(const Party& party);

// Masked bits b = D ^ beta, one per lane.
struct MaskedBits {
  Shape shape;
  Words words;       // D, at a compute party
  BitMask beta;      // beta, in the lowest bits
  Additive numbers;  // beta in Z/2^64
};

[[nodiscard]] Task<MaskedBits> share_bits(Party& party, NodeId owner, Input input, Label label);
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, const Arith& bits, Label label);
[[nodiscard]] Task<MaskedBits> mask_bits(Party& party, Bool bits, Label label);

[[nodiscard]] Arith shares_of(const Party& party, const MaskedBits& bits);
[[nodiscard]] Bool xor_shares_of(const Party& party, const MaskedBits& bits);

[[nodiscard]] MaskedBits first_rows(const MaskedBits& bits, std::size_t rows);

// Applies the map to `bits` (left operand) and `y` (right operand).
[[nodiscard]] Arith select(Party& party, const BilinearMap& map, const MaskedBits& bits, const Masked& y);
// Applies the map to two operands of bits. The result has no fraction bits.
[[nodiscard]] Arith both(Party& party, const BilinearMap& map, const MaskedBits& left, const MaskedBits& right);

}  // namespace sotto::protocols
