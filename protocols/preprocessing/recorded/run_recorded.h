// run_recorded: runs a program without a dealer, by what a mode does with pieces: material, then the program itself, a
// stretch after the other (next_stretch.h), in the phases "preprocessing" and "online" of the ledger.
//
// `recorded` is called once on shapes, where parties have one piece of a value once more for each of the two, and at a party
// once more for each piece that it has; then `program` for the run itself. Both must give the same task each time, but for what it does outside of its requests and rounds: `recorded`
// is played at roles that exchange no frames and know no input, and should act on nothing. Errors as material.h and
// recorded_side.h.
#pragma once

#include <memory>
#include <utility>

#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/protocols/preprocessing/program_role.h"
#include "sotto/protocols/preprocessing/recorded/material.h"
#include "sotto/protocols/preprocessing/recorded/player.h"
#include "sotto/protocols/preprocessing/recorded/recorded_side.h"

namespace sotto::protocols {

// All outlive the task.
template <class Program, class Recorded>
Task<detail::ResultOf<Program>> run_recorded(Party& party, PieceProtocols& pieces, Program& program,
                                             Recorded& recorded) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  StartPlayer start = [&topology, &recorded](PlayedSide& side) -> std::unique_ptr<Player> {
    return std::make_unique<PlayerOf<Recorded>>(topology, side, recorded);
  };
  Tape tape(pieces, std::move(start));
  RecordedSide side(tape);
  Party online(party.rounds(), side);
  co_await side.next_stretch(online);
  party.enter_phase("online");
  co_return co_await program(online);
}

}  // namespace sotto::protocols
