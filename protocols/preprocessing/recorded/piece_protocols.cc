#include "protocols/preprocessing/recorded/piece_protocols.h"

#include <utility>

namespace sotto::protocols {

BitPieces PieceProtocols::uniform_bits(std::size_t lanes) {
  WordPieces words = uniform(plane_words(lanes), 64);
  return BitPieces{lanes, std::move(words.own), std::move(words.next)};
}

BitPieces PieceProtocols::zero_bits(std::size_t lanes) const {
  const Words zeros(self_ ? plane_words(lanes) : 0, 0);
  return BitPieces{lanes, zeros, pieces() == 2 ? zeros : Words{}};
}

}  // namespace sotto::protocols
