// run_with_randomness: runs a program with randomness from the makers that RandomnessBy names.
//
// Without a dealer, run_with_randomness first runs `recorded` several times, to record the program's requests.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/randomness_by.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

class MaterialStock;  // recorded/material.h

using StartProgram = std::function<Task<Unit>(Party&)>;

// Runs the program and stores its result in `result`.
template <class T>
[[nodiscard]] Task<Unit> leaving(Task<T> program, std::optional<T>& result) {
  result.emplace(co_await std::move(program));
  co_return Unit{};
}

// The source of a role's keys without a dealer.
struct OwnRandomness {
  Seed secret;        // of this role only, fresh for the run
  std::string label;  // expansion_label of session and epoch (program_role.h)
};

// With `insecure_number`, anybody can compute the secret. Throws ResourceError if the system gives no randomness.
[[nodiscard]] OwnRandomness draw_own_randomness(Party& party, std::string label,
                                                std::optional<std::uint64_t> insecure_number);

// If `stock` is not null, the program's first stretches (next_stretch) get their randomness from the stock, which must
// outlive the task. Throws std::invalid_argument if the topology does not fit `by`, and the errors of run_replicated.h
// and run_transfers.h.
[[nodiscard]] Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                                             StartProgram recorded, MaterialStock* stock = nullptr);

// Without a dealer: makes randomness for the stock until `enough`, called before each stretch, returns true or the
// program ends. Returns the number of stretches in the stock.
[[nodiscard]] Task<std::uint64_t> fill_stock(Party& party, RandomnessBy by, OwnRandomness own, StartProgram recorded,
                                             MaterialStock& stock, std::function<bool()> enough);

// next_stretch: marks a place where a long program may be cut.
//
// Functionality   A stretch ends at the next mark, or at the program's end. Without a dealer, the roles make the
//                 randomness for one stretch at a time, at the mark before the stretch, so memory does not grow with
//                 the length of a run.
// Rounds, bytes   Without a dealer, a mark takes the rounds that make the randomness, in the phase "preprocessing".
//                 With a dealer, a mark takes no round.
// Views           As in dealt.h, pair_keys.h, helped_keys.h and transfer_pieces.h. The positions of the marks follow
//                 from run parameters only.
// Throws          std::logic_error if the previous stretch made fewer requests than were recorded. During next_stretch,
//                 no other task of the program may wait, because it would be in two stretches.

[[nodiscard]] inline Task<void> next_stretch(Party& party) { return party.preprocessing().next_stretch(party); }

}  // namespace sotto::protocols
