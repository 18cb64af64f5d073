// run_recorded: runs a program without a dealer. For each stretch, the material is made first (phase "preprocessing"),
// and then the program runs (phase "online").
//
// `recorded` is called several times to record requests, at roles that exchange no frames and know no input. Then
// `program` is called for the run. Every call must return a task with the same requests and rounds, and `recorded`
// should have no effects outside its own task. Errors are those of tape.h and recorded_side.h.
//
// While the program runs, the roles draw sharings of zero. After the program, one more round confirms these draws. A
// role that fell out of step has added terms that do not cancel, so its run ends in ProtocolError (wrong_digest).
//
// If there is a stock, the material of the first stretches comes from the stock. All roles must agree beforehand on the
// stretches in the stock.
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

// Both arguments must outlive the players.
template <class Recorded>
[[nodiscard]] StartPlayer players_of(const Topology& topology, Recorded& recorded) {
  return [&topology, &recorded](PlayedSide& side) -> std::unique_ptr<Player> {
    return std::make_unique<PlayerOf<Recorded>>(topology, side, recorded);
  };
}

// The program must return a value.
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

// Adds stretches to the stock until `enough` returns true or the program has no more stretches. Returns the number of
// stretches in the stock.
template <class Recorded>
Task<std::uint64_t> fill_recorded(Party& party, PieceProtocols& pieces, Recorded& recorded, MaterialStock& stock,
                                  std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const Topology topology = party.topology();
  Tape tape(pieces, players_of(topology, recorded), &stock);
  co_await tape.fill_stock(party, std::move(enough));
  co_return stock.stretches();
}

// Programs with material that is made ahead and used once. Each program has its own PieceProtocols (MakePieces), so
// programs may be prepared and run in any order and at the same time.
//
// prepare_program() plays `recorded` and makes the material, and run_prepared() runs a program with the same requests.
// Both throw std::logic_error at a mark (run_with_randomness.h). run_prepared() does not confirm its draws of sharings
// of zero, so the parties must compare PreparedRun::drawn.

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
  // The digest of all draws, before and while the program ran.
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
