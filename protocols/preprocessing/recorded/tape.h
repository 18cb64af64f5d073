// The tape of a program: its material (material.h), made before it runs, without a dealer.
//
// Functionality   Each party plays the program for itself, on shapes and on pieces. This records the program's
//                 requests, in their order. Material that takes messages (truncations, bits as numbers, with two
//                 parties also products) is made for all requests of a stretch at once (run_with_randomness.h). Many
//                 steps then take the rounds of one, and memory is that of a stretch.
// How             1. On shapes: masks are drawn; truncations, products and tables are noted.
//                    If parties have one piece, the program is played once more for each of the two parties. This shows
//                    which pieces of operands are zero.
//                 2. Truncations, all of one f together; index masks and choices (table_material.h).
//                 3. On the own pieces of all masks, then on the next pieces if there are any. Each operand of a
//                    product or a cut then has all pieces of a party, and so does each compared mask.
//                 4. Products and cuts; bits as numbers, all requests with the same number of lanes together; tables.
//                 5. The confirmation that all parties made the same requests. run_recorded.h makes the last one.
//                 Stretches from a stock are also played, on the material that was made, if further stretches are to be
//                 made: their masks include masks of the model.
// Rounds, bytes   Those of the mode (piece_protocols.h). With three parties 65 for truncations, and for choices as many
//                 or a few more. Then 1 for bits as numbers, the compared bits and 1 for comparisons; 1 for the
//                 confirmation.
// Views           as in the mode's headers.
// Ranges          Bits of a masked value from bit `low` on are compared as the sum of the bits of the pieces. If low >
//                 0, that is floor(x / 2^low), or up to as many more as there are pieces (with a dealer: one more). If
//                 parties have one piece, a cut reads the public factor of a truncated operand from the 64 - f bits
//                 below h. Up to f = 32 these bits give all of the factor that counts. For larger f, larger factors are
//                 refused in every mode (Masked::require_operand).
// Throws          std::invalid_argument if the program makes a request that is not available here. Such requests are
//                 tables of indices that were computed with, or that an earlier stretch has masked. Others are tables
//                 of bits of a masked value that do not allow for the range above, and more than 64 arms.
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

// Starts the program with a side.
using StartPlayer = std::function<std::unique_ptr<Player>(PlayedSide&)>;

// The program's material, one stretch after another.
class Tape {
 public:
  // `pieces`, `stock` and all that players refer to must outlive this object. Without a stock all material is made.
  Tape(PieceProtocols& pieces, StartPlayer start, MaterialStock* stock = nullptr);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  [[nodiscard]] PieceProtocols& pieces() { return pieces_; }
  // The next stretch comes from the stock, without messages, as long as the stock has one.
  [[nodiscard]] Task<RecordedMaterial> next_stretch(Party& party);
  // Makes stretches without giving them out, and adds them at the end of the stock. It stops when the program has no
  // more stretches or when `enough`, which is called before each stretch, returns true. A stretch is in the stock at
  // all roles before the next is made: this takes one more round.
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
