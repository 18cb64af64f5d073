// run_replicated: runs a program of three compute parties, or of two and a helper (helped_keys.h), without a dealer.
//
// The roles agree on keys, and then run the program by run_recorded.h. Nodes outside the parties may own inputs, and
// learn the values that are opened to them. `label` is the expansion_label of the session and epoch (program_role.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// Agrees on the seeds of pair keys (pair_keys.h), once for a run: each party draws its own seed, and receives the seed
// of the next party.
//
// Rounds, bytes   1 round: each party sends 16 bytes to the party before it, and each node outside the parties sends 32
//                 bytes to each party.
// Views           The two holders of a key know the key. A node outside the parties also knows its own keys.
// Errors          std::invalid_argument unless the run has three compute parties, or two and a helper, and no dealer.

// `secret` is this node's own seed, fresh for the run.
[[nodiscard]] Task<PairKeys> agree_on_pair_keys(Party& party, Seed secret, std::string label);

// Agrees on pair keys for many labels. With a helper, the returned function makes HelpedKeys. Keys of one label are
// always the same, so each label must be used only once.
[[nodiscard]] Task<MakePieces> agree_on_pair_pieces(Party& party, Seed secret);

// `recorded` is played ahead of `program`, and may be the same function if `program` has no effects outside its own
// task.
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

template <class Recorded>
Task<std::uint64_t> fill_replicated(Party& party, Seed secret, std::string label, Recorded recorded,
                                    MaterialStock& stock, std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pair_pieces(party, std::move(secret));
  const std::unique_ptr<PieceProtocols> keys = make(label);
  co_return co_await fill_recorded(party, *keys, recorded, stock, std::move(enough));
}

}  // namespace sotto::protocols
