// The programs of the decision service by their shapes, one program per number: a decide of a shape's size, a secret
// decide, and a learn (apps/bandit/model/batch/kept_programs.h).
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

// Plays a program of that shape without any inputs, to find its costs and what it needs from preprocessing. `plan` must
// outlive the task.
[[nodiscard]] Task<Unit> play_shape(Party& party, const bandit::BatchPlan& plan, ProgramShape shape);

// A bound on the payload bytes of each frame of a learn of that shape.
[[nodiscard]] std::size_t longest_learn_frame(const Topology& topology, const bandit::BatchPlan& plan,
                                              const ProgramShape& shape);

// The number of rounds of a program of this shape.
[[nodiscard]] std::uint64_t rounds_of(const bandit::BatchPlan& plan, const ProgramShape& shape);

// For the parties: the arms that each place of a decide allows. Empty if no arm is barred.
[[nodiscard]] protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms);

}  // namespace sotto::apps::live
