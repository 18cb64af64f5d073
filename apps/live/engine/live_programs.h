// The programs of the decision service by their shapes, one a number: a decide of a shape's size, one that is secret,
// and a learn (apps/bandit/model/batch/kept_programs.h).
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

// A program of that shape to which nobody brings anything: for its costs, and for what it asks of preprocessing. `plan`
// outlives the task.
[[nodiscard]] Task<Unit> play_shape(Party& party, const bandit::BatchPlan& plan, ProgramShape shape);

// Payload bytes that no frame of a learn of that shape exceeds.
[[nodiscard]] std::size_t longest_learn_frame(const Topology& topology, const bandit::BatchPlan& plan,
                                              const ProgramShape& shape);

// Rounds of a program of this shape.
[[nodiscard]] std::uint64_t rounds_of(const bandit::BatchPlan& plan, const ProgramShape& shape);

// The arms that each place of a decide allows, for its parties; empty where none is barred.
[[nodiscard]] protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms);

}  // namespace sotto::apps::live
