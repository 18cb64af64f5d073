// TwoPartyCircuits: what two parties make of pieces by ANDs and by bits that become numbers (PieceProtocols).
//
// Functionality   bits_of, digit_table, truncation_masks as piece_protocols.h says. A party's piece of a value is a
//                 summand that it knows, so its bits are shared as they are.
// How             bits_of             a ripple adder on the two summands (circuits.h)
//                 digit_table         one_hot.h, entries as numbers
//                 truncation_masks    with r = u + v and c_i the carry into bit i, low(.) the low 63 bits,
//                                       h  = u_63 ^ v_63 ^ c_63
//                                       mu = (low(u) >> f) + (low(v) >> f) + c_f - 2^(63-f) (c_63 + h)
//                                     One adder gives the carries, of which three bits become numbers. [our own]
// Rounds, bytes   A round an AND, as many one after the other as the number has bits less one, or 63; then those of
//                 bits_as_shares.
// Who sees what   As in ANDs and conversions. Each party knows its own piece of r, mu and h.
// Throws          std::invalid_argument unless 1 <= f <= 62.
#pragma once

#include "protocols/preprocessing/recorded/piece_protocols.h"

namespace sotto::protocols {

class TwoPartyCircuits : public PieceProtocols {
 public:
  [[nodiscard]] unsigned pieces() const final { return 1; }
  [[nodiscard]] BitPieces complement(BitPieces bits) const final;
  [[nodiscard]] Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                           Label label) final;
  [[nodiscard]] Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                              Label label) final;
  [[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                       Label label) final;

 protected:
  using PieceProtocols::PieceProtocols;

 private:
  // The bits of the two summands: party 0 knows the first, party 1 the second.
  struct Summands {
    NumberPieces u, v;
  };
  [[nodiscard]] Summands summands(const WordPieces& number) const;
};

}  // namespace sotto::protocols
