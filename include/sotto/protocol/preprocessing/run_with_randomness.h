// run_with_randomness: runs a program with randomness from the makers that RandomnessBy names, behind one call that is
// no template.
//
// With a dealer it only runs the program. Without a dealer it calls replicated/run_replicated.h (also with a helper) or
// transfers/run_transfers.h. Both run `recorded` for its requests: once, and once more for each piece that a party has
// of a value. Then they run `program` for the run itself. A program leaves its result where the caller finds it.
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

// The secret of which a role makes keys, and their label. Neither is used with a dealer.
struct OwnRandomness {
  Seed secret;        // this role's own, fresh for the run
  std::string label;  // expansion_label of the session and epoch (program_role.h)
};

// Randomness of the operating system or, with `insecure_number`, randomness that anybody can repeat. Throws
// ResourceError if the system gives no randomness.
[[nodiscard]] OwnRandomness draw_own_randomness(Party& party, std::string label,
                                                std::optional<std::uint64_t> insecure_number);

// With a stock, which outlives the task, the first stretches come from the stock. Throws std::invalid_argument where
// the topology does not fit `by`. Other errors are those of the headers above.
[[nodiscard]] Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                                             StartProgram recorded, MaterialStock* stock = nullptr);

// Without a dealer: fills the stock instead, until the stock has the whole program or `enough` returns true. `enough`
// is asked before each stretch. Returns how many stretches the stock then has.
[[nodiscard]] Task<std::uint64_t> fill_stock(Party& party, RandomnessBy by, OwnRandomness own, StartProgram recorded,
                                             MaterialStock& stock, std::function<bool()> enough);

// next_stretch: a mark where a long program may be cut, for backends that make correlated randomness ahead of use.
//
// Functionality   All requests of the program from here to the next mark, or to the program's end, are served here at
//                 once. The rest of the stretch before is dropped. So memory does not grow with the length of a run.
// Rounds, bytes   none with a dealer. Without a dealer, those of the stretch's material, in the phase "preprocessing".
// Views           as the backend's headers say. The places of the marks follow from run parameters only.
// Throws          std::logic_error if the stretch before made fewer requests than when it was recorded. The program
//                 must await nothing else meanwhile: a task that waits elsewhere would be in two stretches.

[[nodiscard]] inline Task<void> next_stretch(Party& party) { return party.preprocessing().next_stretch(party); }

}  // namespace sotto::protocols
