// The tape of a program: its material (material.h), made before it runs, without a dealer.
//
// Functionality   The program is played on shapes and on pieces, by each party for itself: that records its requests,
//                 in their order. What takes messages (truncations, bits as numbers, with two parties also products) is
//                 made for all requests of a stretch at once (run_with_randomness.h): many steps take the rounds of
//                 one, and memory is that of a stretch.
// How             1. On shapes: masks are drawn, truncations, products and tables noted.
//                    Where parties have one piece, played once more for each of the two: which pieces of operands are
//                    zero.
//                 2. Truncations, all of one f together; index masks and choices (table_material.h).
//                 3. On the own pieces of all masks, then where there are any on the next ones: each operand of a
//                    product or a cut has all of a party's, and each mask that is compared.
//                 4. Products and cuts; bits as numbers, all requests of as many lanes together; tables.
//                 5. The confirmation that all parties made the same requests; the last is run_recorded.h's.
//                 Stretches from a stock are played as well, on what was made, where others are to be made after them:
//                 these have masks of the model in them.
// Rounds, bytes   Those of the mode (piece_protocols.h): with three parties 65 for truncations, and for choices as many
//                 or a few more; then 1 for bits as numbers, the compared bits and 1 for comparisons; 1 for the
//                 confirmation.
// Who sees what   as in the mode's headers.
// Ranges          Bits of a masked value from bit `low` on are compared as the sum of the pieces' bits: for low > 0
//                 that is floor(x / 2^low) or up to as many more as there are pieces (with a dealer: one more). Where
//                 parties have one piece, a cut reads the public factor of a truncated operand from the 64 - f bits
//                 below h. Up to f = 32 these tell all of the factor that counts; above, larger factors are refused in
//                 every mode (Masked::require_operand).
// Throws          std::invalid_argument where the program asks for what there is none of here: tables of indices that
//                 were computed with or that an earlier stretch has masked, tables of bits of a masked value that do
//                 not allow for the range above, more than 64 arms.
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

// Starts the program with that side.
using StartPlayer = std::function<std::unique_ptr<Player>(PlayedSide&)>;

// The program's material, a stretch after the other.
class Tape {
 public:
  // `pieces`, `stock`, and what players refer to, outlive this. Without a stock all is made.
  Tape(PieceProtocols& pieces, StartPlayer start, MaterialStock* stock = nullptr);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  [[nodiscard]] PieceProtocols& pieces() { return pieces_; }
  // Taken from the stock, without messages, as long as there is one there.
  [[nodiscard]] Task<RecordedMaterial> next_stretch(Party& party);
  // Instead: makes stretches and puts them into the stock, behind those that are there, until the program has no more
  // or `enough`, which is asked before each. A stretch is in the stock before the next is made, at all roles: one round
  // more.
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
