// run_with_randomness: runs a program with randomness from the makers that RandomnessBy names, through one function
// that is not a template.
//
// With a dealer, run_with_randomness only runs the program. Without a dealer, it calls the functions of
// replicated/run_replicated.h (also with a helper) or transfers/run_transfers.h. To record its requests, the functions
// of both headers run `recorded` once, and once more for each piece of a value that a party has. Then they run
// `program`, which is the run itself. A program leaves its result where the caller finds the result.
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

// A program that leaves its result in `result`, which must outlive the task.
template <class T>
[[nodiscard]] Task<Unit> leaving(Task<T> program, std::optional<T>& result) {
  result.emplace(co_await std::move(program));
  co_return Unit{};
}

// The secret from which a role makes its keys, and the label of the keys. With a dealer, neither is used.
struct OwnRandomness {
  Seed secret;        // the secret of this role only, fresh for the run
  std::string label;  // expansion_label of the session and epoch (program_role.h)
};

// Randomness of the operating system or, with `insecure_number`, randomness that anybody can repeat. Throws
// ResourceError if the system gives no randomness.
[[nodiscard]] OwnRandomness draw_own_randomness(Party& party, std::string label,
                                                std::optional<std::uint64_t> insecure_number);

// If `stock` is given, the randomness of the first stretches comes from the stock, which must outlive the task. Throws
// std::invalid_argument if the topology does not fit `by`. All other errors are those of run_replicated.h and
// run_transfers.h.
[[nodiscard]] Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                                             StartProgram recorded, MaterialStock* stock = nullptr);

// Without a dealer: fills the stock, but does not run the program. Ends when the stock has the randomness of the whole
// program, or when `enough` returns true. `enough` is called before each stretch. Returns the number of stretches that
// the stock has at the end.
[[nodiscard]] Task<std::uint64_t> fill_stock(Party& party, RandomnessBy by, OwnRandomness own, StartProgram recorded,
                                             MaterialStock& stock, std::function<bool()> enough);

// next_stretch: marks a place where a long program may be cut, for backends that make correlated randomness ahead of
// use.
//
// Functionality   A stretch goes from one mark to the next mark, or to the program's end. A mark makes the randomness
//                 for all requests of its stretch at once, and drops the rest of the previous stretch. So memory does
//                 not grow with the length of a run.
// Rounds, bytes   none with a dealer. Without a dealer, the rounds and bytes that make the randomness of the stretch,
//                 in the phase "preprocessing".
// Views           see the headers of the backend. The positions of the marks follow from run parameters only.
// Throws          std::logic_error if the previous stretch made fewer requests than when it was recorded. During
//                 next_stretch, no other task of the program may wait: a waiting task would be in two stretches.

[[nodiscard]] inline Task<void> next_stretch(Party& party) { return party.preprocessing().next_stretch(party); }

}  // namespace sotto::protocols
