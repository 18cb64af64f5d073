// run_replicated: runs a program of three compute parties without a dealer, or of two compute parties with material
// that they made with a helper (helped_keys.h). The topology decides which of these modes is used.
//
// The roles first agree on keys. For each stretch, material is made and then the program runs, in the phases
// "preprocessing" and "online" of the ledger (run_recorded.h). Nodes outside the parties may own inputs, and learn the
// values that are opened to them. `secret` is this node's own seed, fresh for the run. `label` is the expansion_label
// of the session and epoch (program_role.h). Errors are those of agree_on_pair_keys and Tape (tape.h).
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

// The seeds of pair keys (pair_keys.h), agreed on once for a run. Each party draws its own seed, and receives the next
// party's seed.
//
// Rounds, bytes   1 round: each party sends 16 bytes to the party before it, and each node outside the parties sends 32
//                 bytes to each party.
// Views           Each key is known to its two holders. The keys of a node outside the parties are also known to that
//                 node.
// Errors          std::invalid_argument unless the run has three compute parties, or two and a helper, and no dealer.

// `secret` is this node's own seed, fresh for the run.
[[nodiscard]] Task<PairKeys> agree_on_pair_keys(Party& party, Seed secret, std::string label);

// Agrees on pair keys for many labels. If a helper replaces the third party, the result makes HelpedKeys
// (helped_keys.h). Keys of two labels have no word in common. Keys of one label are always the same, so each label must
// be used only once.
[[nodiscard]] Task<MakePieces> agree_on_pair_pieces(Party& party, Seed secret);

// `recorded` is played ahead of `program`. If `program` has no effects outside its own task, `recorded` can be the
// program itself.
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

// Makes only the program's material and puts it into the stock (fill_recorded).
template <class Recorded>
Task<std::uint64_t> fill_replicated(Party& party, Seed secret, std::string label, Recorded recorded,
                                    MaterialStock& stock, std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pair_pieces(party, std::move(secret));
  const std::unique_ptr<PieceProtocols> keys = make(label);
  co_return co_await fill_recorded(party, *keys, recorded, stock, std::move(enough));
}

}  // namespace sotto::protocols
