// run_recorded: runs a program without a dealer, by a mode's operations on pieces. For each stretch, the material is
// made first, and then the program runs (run_with_randomness.h), in the phases "preprocessing" and "online" of the
// ledger.
//
// `recorded` is called several times. All roles call `recorded` once on shapes. If parties have one piece of a value,
// all roles call `recorded` once more for each of the two parties. A party calls `recorded` once more for each piece of
// a value that the party has. After these calls, `program` is called for the run itself. Every call must return a task
// with the same requests and rounds; only its other effects may differ. `recorded` is played at roles that exchange no
// frames and know no input, so `recorded` should have no effects outside its own task. Errors are those of tape.h and
// recorded_side.h.
//
// Each stretch is confirmed before it is used (tape.h). When the program has ended, one more round in the phase
// "preprocessing" confirms the draws since the last confirmation, which are the sharings of zero while the program ran.
// The last round also takes place if the stock has the whole program and no stretch is made. A role that fell out of
// step has added terms that do not cancel, so its run ends in ProtocolError (wrong_digest).
//
// If there is a stock, the first stretches come from the stock. The function fill_recorded() fills a stock by the same
// `recorded` and runs no program. The roles that fill a stock, and the roles that run from a stock, must agree
// beforehand on the stretches in the stock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "protocols/preprocessing/recorded/player.h"
#include "protocols/preprocessing/recorded/recorded_side.h"
#include "protocols/preprocessing/recorded/tape.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::protocols {

// Both `topology` and `recorded` must outlive the players.
template <class Recorded>
[[nodiscard]] StartPlayer players_of(const Topology& topology, Recorded& recorded) {
  return [&topology, &recorded](PlayedSide& side) -> std::unique_ptr<Player> {
    return std::make_unique<PlayerOf<Recorded>>(topology, side, recorded);
  };
}

// All arguments must outlive the task. The program must return a value.
template <class Program, class Recorded>
Task<detail::ResultOf<Program>> run_recorded(Party& party, PieceProtocols& pieces, Program& program, Recorded& recorded,
                                             MaterialStock* stock = nullptr) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  Tape tape(pieces, players_of(topology, recorded), stock);
  RecordedSide side(tape);
  Party online(party.rounds(), side);
  co_await side.next_stretch(online);
  party.enter_phase("online");
  detail::ResultOf<Program> result = co_await program(online);
  party.enter_phase("preprocessing");
  co_await pieces.confirm_same_requests(party);
  co_return std::move(result);
}

// Fills the stock until `enough` returns true, or until the program has no more stretches. All arguments must outlive
// the task. Returns the number of stretches in the stock.
template <class Recorded>
Task<std::uint64_t> fill_recorded(Party& party, PieceProtocols& pieces, Recorded& recorded, MaterialStock& stock,
                                  std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  Tape tape(pieces, players_of(topology, recorded), &stock);
  co_await tape.fill_stock(party, std::move(enough));
  co_return stock.stretches();
}

// Programs that are prepared one by one. The material of a whole program is made ahead and used once. Each program has
// PieceProtocols of its own (MakePieces). No program draws from a stream of another program, so programs may be
// prepared and run in any order and at the same time.
//
// The function prepare_program() plays `recorded` to find out its requests, and makes the material for these requests.
// The function run_prepared() runs a program with the same requests. The functions prepare_program() and run_prepared()
// are for programs of one stretch, and throw std::logic_error at a mark (run_with_randomness.h).
//
// Rounds, bytes   prepare_program: those of tape.h, including the confirmation. run_prepared: those of the program.
// Views, errors           those of tape.h and recorded_side.h.
//
// While a program runs, it draws sharings of zero. run_prepared() does not confirm these draws, so the parties must
// compare PreparedRun::drawn.

struct PreparedProgram {
  std::unique_ptr<PieceProtocols> pieces;
  RecordedMaterial material;
};

template <class Recorded>
Task<PreparedProgram> prepare_program(Party& party, std::unique_ptr<PieceProtocols> pieces, Recorded recorded) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  PreparedProgram made{std::move(pieces), {}};
  Tape tape(*made.pieces, players_of(topology, recorded));
  made.material = co_await tape.next_stretch(party);
  co_return std::move(made);
}

template <class Result>
struct PreparedRun {
  Result result;
  // The digest of all draws, before and while the program ran. Parties that made the same draws have the same digest.
  std::uint64_t drawn = 0;
};

template <class Program>
Task<PreparedRun<detail::ResultOf<Program>>> run_prepared(Party& party, PreparedProgram prepared, Program program) {
  RecordedSide side(*prepared.pieces, std::move(prepared.material));
  Party online(party.rounds(), side);
  detail::ResultOf<Program> result = co_await program(online);
  co_return PreparedRun<detail::ResultOf<Program>>{std::move(result), prepared.pieces->digest()};
}

}  // namespace sotto::protocols
