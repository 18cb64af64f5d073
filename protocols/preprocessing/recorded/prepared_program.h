// Programs that are prepared one by one: material of a whole program, which is made ahead of it and used once, by
// pieces of its own (MakePieces). So programs may be prepared and run in any order and beside each other: none draws
// from a stream that another draws from.
//
// prepare_program plays `recorded` for its requests (run_recorded.h) and makes its material; run_prepared runs a
// program that asks for the same. Both are of one stretch: std::logic_error at a mark (next_stretch.h).
//
// Rounds, bytes   prepare_program: those of material.h, the confirmation among them. run_prepared: the program's.
// Who sees what, errors   as material.h and recorded_side.h say.
//
// What is drawn while the program runs, sharings of zero, is not confirmed here: parties compare PreparedRun::drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "protocols/preprocessing/recorded/recorded_side.h"
#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/recorded/tape.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::protocols {

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
