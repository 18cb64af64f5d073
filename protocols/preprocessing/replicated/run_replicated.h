// run_replicated: runs a program of three compute parties without a dealer, or of two with material that they and a
// helper made (helped_keys.h). The topology says which.
//
// Keys, then material and the program itself, a stretch after the other, in the phases "preprocessing" and "online" of
// the ledger (run_recorded.h). Nodes outside may own inputs and learn what is opened to them. `secret` is this node's
// own, fresh for the run; `label` is expansion_label of the session and epoch (session_keys.h). Errors as
// agree_on_pair_keys and Tape (material.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/replicated/pair_seeds.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// `recorded` is what is played ahead of `program`; where that acts on nothing outside, it is the program itself.
template <class Program, class Recorded>
Task<detail::ResultOf<Program>> run_replicated(Party& party, Seed secret, std::string label, Program program,
                                               Recorded recorded, MaterialStock* stock = nullptr) {
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pair_pieces(party, std::move(secret));
  const std::unique_ptr<PieceProtocols> keys = make(label);
  co_return co_await run_recorded(party, *keys, program, recorded, stock);
}

template <class Program>
Task<detail::ResultOf<Program>> run_replicated(Party& party, Seed secret, std::string label, Program program) {
  Program recorded = program;
  return run_replicated(party, std::move(secret), std::move(label), std::move(program), std::move(recorded));
}

// The program's material alone, into the stock (fill_recorded).
template <class Recorded>
Task<std::uint64_t> fill_replicated(Party& party, Seed secret, std::string label, Recorded recorded,
                                    MaterialStock& stock, std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pair_pieces(party, std::move(secret));
  const std::unique_ptr<PieceProtocols> keys = make(label);
  co_return co_await fill_recorded(party, *keys, recorded, stock, std::move(enough));
}

}  // namespace sotto::protocols
