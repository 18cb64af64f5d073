// run_with_randomness: a program with randomness from whom RandomnessBy says, behind one call that no template is made
// of.
//
// With a dealer it is the program. Without one it is replicated/run_replicated.h, with a helper too, or
// transfers/run_transfers.h: `recorded` is played for its requests, once and once more for each piece that a party has
// of a value, then `program` for the run. What the program returns it leaves where its maker finds it.
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

// A program that leaves its result in `result`, which outlives the task.
template <class T>
[[nodiscard]] Task<Unit> leaving(Task<T> program, std::optional<T>& result) {
  result.emplace(co_await std::move(program));
  co_return Unit{};
}

// What a role makes keys of, and under which label: nothing of it is used with a dealer.
struct OwnRandomness {
  Seed secret;        // this role's own, fresh for the run
  std::string label;  // expansion_label of the session and epoch (program_role.h)
};

// Of the operating system or, with `insecure_number`, such as anybody can repeat. Throws ResourceError if the system
// gives no randomness.
[[nodiscard]] OwnRandomness draw_own_randomness(Party& party, std::string label,
                                                std::optional<std::uint64_t> insecure_number);

// With a stock, which outlives the task, the first stretches are taken from there. Throws std::invalid_argument where
// the topology is none of `by`; else as the headers above.
[[nodiscard]] Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                                             StartProgram recorded, MaterialStock* stock = nullptr);

// Without a dealer: fills the stock instead, until it has the whole program or `enough` says so, which is asked before
// each stretch. How many stretches it has then.
[[nodiscard]] Task<std::uint64_t> fill_stock(Party& party, RandomnessBy by, OwnRandomness own, StartProgram recorded,
                                             MaterialStock& stock, std::function<bool()> enough);

// next_stretch: where a long program may be cut, for backends that make correlated randomness ahead of use.
//
// Functionality   What the program asks for from here to the next mark, or to its end, is made here at once; what was
//                 left of the stretch before is dropped. So memory does not grow with the length of a run.
// Rounds, bytes   none with a dealer. Without one those of the stretch's material, in the phase "preprocessing".
// Who sees what   as the backend's headers say. Where marks stand follows from run parameters alone.
// Throws          std::logic_error where the stretch before asked for less than when it was recorded. The program may
//                 await nothing beside this: a task that waits elsewhere would be in two stretches.

[[nodiscard]] inline Task<void> next_stretch(Party& party) { return party.preprocessing().next_stretch(party); }

}  // namespace sotto::protocols
