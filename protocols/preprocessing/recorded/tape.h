// The tape of a program: its material (material.h), made without a dealer before the program runs.
//
// Functionality   Each party plays the program for itself, on shapes and on pieces, and so records its requests.
//                 Material that takes messages is made for all requests of a stretch at once (run_with_randomness.h).
// How             1. Play the program on shapes: draw masks, and note truncations, products and tables. If parties have
//                    one piece, play the program once more for each party, to find operands for which this party's
//                    piece is zero (holder_side.h).
//                 2. Make the truncations, index masks and choices (table_material.h). All truncations by the same f
//                    are made together.
//                 3. Play the program on the own pieces of all masks, then on the next pieces if there are any, to get
//                    all pieces of each compared mask and each operand.
//                 4. Make products and cuts, tables, and bits as numbers.
//                 5. Confirm that all parties made the same requests.
//                 Stretches from a stock are also played, because later stretches use values of earlier stretches, with
//                 the masks of these values.
// Rounds, bytes   As in pair_keys.h and transfer_pieces.h. With three parties, truncations take 65 rounds, and choices
//                 65 rounds or a few more. Bits become numbers in 1 round. The confirmation takes 1 round. Comparisons
//                 of k bits take k + 1 rounds.
// Views           As in pair_keys.h and transfer_pieces.h.
// Ranges          A program may request the bits of a masked value x from bit `low` on (MaskedIndex::bit_range).
//                 Without a dealer, the parties compute these bits of the mask as the sum of the same bits of the
//                 pieces. For low > 0, the result is floor(x / 2^low), or larger by at most the number of pieces (with
//                 a dealer: by at most one). If parties have one piece, the word of a truncated operand stores the
//                 operand's public factor in the 64 - f bits below h, and cut() reads the factor there. Only the low f
//                 bits of the factor count. For f up to 32, they fit into these 64 - f bits. For larger f,
//                 Masked::require_operand refuses factors that do not fit, in runs with and without a dealer.
// Throws          std::invalid_argument for three kinds of requests, which need a dealer: (1) tables for an index of
//                 mask_index() that the program has changed, or has masked in an earlier stretch, (2) choices among
//                 more than 64 arms, and (3) tables for an index of bit_range() with Tables::exceeds below 3.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/recorded/player.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

// Starts to play the program on the given side.
using StartPlayer = std::function<std::unique_ptr<Player>(PlayedSide&)>;

// The program's material, one stretch after another.
class Tape {
 public:
  // `pieces`, `stock` and everything that players refer to must outlive this object. If `stock` is null, all material
  // is made.
  Tape(PieceProtocols& pieces, StartPlayer start, MaterialStock* stock = nullptr);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  [[nodiscard]] PieceProtocols& pieces() { return pieces_; }
  // Takes stretches from the stock, without messages, as long as the stock has any.
  [[nodiscard]] Task<RecordedMaterial> next_stretch(Party& party);
  // Adds stretches to the stock until the program has no more, or until `enough` returns true. fill_stock() calls
  // `enough` before each stretch. One more round ensures that all roles have a stretch before the next one is made.
  [[nodiscard]] Task<void> fill_stock(Party& party, std::function<bool()> enough);

 private:
  class Recording;
  [[nodiscard]] Task<RecordedMaterial> made_stretch(Party& party);

  PieceProtocols& pieces_;
  MaterialStock* stock_;
  std::uint64_t taken_ = 0;
  std::unique_ptr<Recording> recording_;
};

}  // namespace sotto::protocols
