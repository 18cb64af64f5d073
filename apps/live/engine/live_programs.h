// The programs of the decision service. A shape names the kind and the size of a program: a decide, a secret decide, or
// a learn (apps/bandit/model/batch/kept_programs.h). A number of the order runs at most one program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/bandit/model/batch/kept_programs.h"
#include "apps/live/order/entry.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::live {

// Plays a program of the shape without inputs, to find the program's costs and its needs of preprocessing. `plan` must
// outlive the task.
[[nodiscard]] Task<Unit> play_shape(Party& party, const bandit::BatchPlan& plan, ProgramShape shape);

// An upper bound on the payload bytes of a frame, for a learn of the given shape.
[[nodiscard]] std::size_t longest_learn_frame(const Topology& topology, const bandit::BatchPlan& plan,
                                              const ProgramShape& shape);

// The number of rounds of a program of this shape.
[[nodiscard]] std::uint64_t rounds_of(const bandit::BatchPlan& plan, const ProgramShape& shape);

// The arms that each event of a decide may get, in the form that the parties need. Empty if no event excludes an arm.
[[nodiscard]] protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms);

}  // namespace sotto::apps::live
