// The tape of a program: the program's material (material.h), made without a dealer before the program runs.
//
// Functionality   Each party plays the program for itself, on shapes and on pieces, and so records the program's
//                 requests in their order. Material that takes messages (truncations, bits as numbers, with two parties
//                 also products) is made for all requests of a stretch at once (run_with_randomness.h). In this way
//                 many steps of a program together take only as many rounds as one step, and memory holds one stretch
//                 at a time.
// How             1. Play the program on shapes: masks are drawn; truncations, products and tables are noted.
//                    If parties have one piece, the program is played once more for each of the two parties. The plays
//                    for the two parties show which pieces of operands are zero.
//                 2. Make truncations, all of one f together, and index masks and choices (table_material.h).
//                 3. Play the program on the own pieces of all masks, then on the next pieces if there are any. After
//                    both plays, a party has all its pieces of each compared mask and of each operand of a product or a
//                    cut.
//                 4. Make products and cuts, tables, and bits as numbers (all requests with the same number of lanes
//                    together).
//                 5. Confirm that all parties made the same requests. The last confirmation is made by run_recorded.h.
//                 If further stretches are to be made, the stretches from a stock are also played, on the material in
//                 the stock. The masks of further stretches include masks of the model.
// Rounds, bytes   Those of the mode without a dealer (piece_protocols.h). With three parties, truncations take 65
//                 rounds, and choices take as many or a few more. Bits as numbers take 1 round, and the confirmation
//                 takes 1 round. Comparisons take one round for each compared bit, and 1 round more.
// Views           as in the headers of the mode without a dealer.
// Ranges          Bits of a masked value from bit `low` on are compared as the sum of the bits of the pieces. If low >
//                 0, this sum is floor(x / 2^low), or larger by at most the number of pieces (with a dealer: by at most
//                 one). If parties have one piece, a cut reads the public factor of a truncated operand from the 64 - f
//                 bits below h. For f up to 32, these 64 - f bits give all bits of the factor that matter. For larger
//                 f, larger factors are refused in every mode (Masked::require_operand).
// Throws          std::invalid_argument if the program makes a request that is not available without a dealer. Tables
//                 of indices that were changed by a computation, or that an earlier stretch has masked, are not
//                 available. Tables whose index is bits of a masked value are available only if they allow for an index
//                 that is up to 3 too large. Choices among more than 64 arms are not available.
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
  // The next stretch comes from the stock, without messages, as long as the stock has one.
  [[nodiscard]] Task<RecordedMaterial> next_stretch(Party& party);
  // Makes stretches without using them, and adds them at the end of the stock. Stops when the program has no more
  // stretches or when `enough`, which is called before each stretch, returns true. The next stretch is made only when
  // all roles have this stretch in their stock; one more round makes sure of this.
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
