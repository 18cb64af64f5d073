// The programs of the decision service (apps/bandit/model/batch/kept_programs.h).
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

// In payload bytes.
[[nodiscard]] std::size_t longest_learn_frame(const Topology& topology, const bandit::BatchPlan& plan,
                                              const ProgramShape& shape);

[[nodiscard]] std::uint64_t rounds_of(const bandit::BatchPlan& plan, const ProgramShape& shape);

[[nodiscard]] protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms);

}  // namespace sotto::apps::live
