// run_transfers: runs a program of two compute parties without a dealer, by oblivious transfers.
//
// The parties agree on keys and transfers, and then run the program by run_recorded.h. Nodes outside the parties may
// own inputs, and learn the values that are opened to them. `secret` is this role's own seed, fresh for the run.
// `label` is the expansion_label of the session and epoch (program_role.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// `recorded` is played ahead of `program`, and may be the same function if `program` has no effects outside its own
// task.
template <class Program, class Recorded>
Task<detail::ResultOf<Program>> run_transfers(Party& party, Seed secret, std::string label, Program program,
                                              Recorded recorded, MaterialStock* stock = nullptr) {
  party.enter_phase("preprocessing");
  TransferPieces pieces = co_await agree_on_transfer_pieces(party, std::move(secret), std::move(label));
  co_return co_await run_recorded(party, pieces, program, recorded, stock);
}

template <class Program>
Task<detail::ResultOf<Program>> run_transfers(Party& party, Seed secret, std::string label, Program program) {
  Program recorded = program;
  return run_transfers(party, std::move(secret), std::move(label), std::move(program), std::move(recorded));
}

template <class Recorded>
Task<std::uint64_t> fill_transfers(Party& party, Seed secret, std::string label, Recorded recorded,
                                   MaterialStock& stock, std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  TransferPieces pieces = co_await agree_on_transfer_pieces(party, std::move(secret), std::move(label));
  co_return co_await fill_recorded(party, pieces, recorded, stock, std::move(enough));
}

}  // namespace sotto::protocols
