// run_recorded: runs a program without a dealer, by what a mode does with pieces: material, then the program itself, a
// stretch after the other (run_with_randomness.h), in the phases "preprocessing" and "online" of the ledger.
//
// `recorded` is called once on shapes, where parties have one piece of a value once more for each of the two, and at a
// party once more for each piece that it has; then `program` for the run itself. Both must give the same task each
// time, but for what it does outside of its requests and rounds: `recorded` is played at roles that exchange no frames
// and know no input, and should act on nothing. Errors as material.h and recorded_side.h.
//
// Each stretch is confirmed before it is used (material.h). When the program has ended, one round more in the phase
// "preprocessing" confirms what was drawn since: sharings of zero while it ran, also on a whole stock, of which no
// stretch is made. A role that fell out of step there has added what does not cancel: its run ends in ProtocolError
// (wrong_digest).
//
// With a stock the first stretches come from there; fill_recorded makes it, by the same `recorded`, and plays no
// program. Who fills and who runs agree on the stock's stretches beforehand, all roles alike.
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

// `topology` and `recorded` outlive the players.
template <class Recorded>
[[nodiscard]] StartPlayer players_of(const Topology& topology, Recorded& recorded) {
  return [&topology, &recorded](PlayedSide& side) -> std::unique_ptr<Player> {
    return std::make_unique<PlayerOf<Recorded>>(topology, side, recorded);
  };
}

// All outlive the task. The program returns something.
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

// Until `enough`, or until the program has no more. All outlive the task. Returns the stretches of the stock.
template <class Recorded>
Task<std::uint64_t> fill_recorded(Party& party, PieceProtocols& pieces, Recorded& recorded, MaterialStock& stock,
                                  std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  Tape tape(pieces, players_of(topology, recorded), &stock);
  co_await tape.fill_stock(party, std::move(enough));
  co_return stock.stretches();
}

// Programs that are prepared one by one: material of a whole program, which is made ahead of it and used once, by
// pieces of its own (MakePieces). So programs may be prepared and run in any order and beside each other: none draws
// from a stream that another draws from.
//
// prepare_program plays `recorded` for its requests and makes its material; run_prepared runs a
// program that asks for the same. Both are of one stretch: std::logic_error at a mark (run_with_randomness.h).
//
// Rounds, bytes   prepare_program: those of material.h, the confirmation among them. run_prepared: the program's.
// Who sees what, errors   as material.h and recorded_side.h say.
//
// What is drawn while the program runs, sharings of zero, is not confirmed here: parties compare PreparedRun::drawn.

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
  std::uint64_t drawn =
      0;  // digest of all draws, before the program ran and meanwhile; the same at all parties in step
};

template <class Program>
Task<PreparedRun<detail::ResultOf<Program>>> run_prepared(Party& party, PreparedProgram prepared, Program program) {
  RecordedSide side(*prepared.pieces, std::move(prepared.material));
  Party online(party.rounds(), side);
  detail::ResultOf<Program> result = co_await program(online);
  co_return PreparedRun<detail::ResultOf<Program>>{std::move(result), prepared.pieces->digest()};
}

}  // namespace sotto::protocols
