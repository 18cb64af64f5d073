// The sums of decided events: adds them to A and b, which are exact in shares and never opened.
//
// Functionality   Inputs: A and b, and for up to B events the contexts x from their owners. The actor brings the
//                 one-hot o of the played arm, and the rewarder brings l r. An o of only zeros means that the event is
//                 not learned; only the actor sees such an o. If the plan may skip events, the rewarder also brings the
//                 secret bit l (l = 0: not learned). Output:
//                     A_a <- A_a + the sum of o_a l x x'       b_a <- b_a + the sum of o_a l r x
// How round       1  x by its owners, o by the actor, l and l r by the rewarder
//                 2  o_a x, masked; l x where there is l; then both sums without a message
//                 If selecting by bits is cheaper (two parties by transfers) and all events are learned, the actor
//                 shares o as bits. Then x x' and r x are masked before bits select from them. The sums are exactly the
//                 same with o as words and with o as bits.
// Rounds          2, for any B, n and A. No step depends on earlier sums, so the order of the events does not matter.
// Views           Openings are uniform. The compute parties and the dealer see how many events there are.
// Ranges          |x| <= R, |r| <= 1, at most T events in a run (batch_plan.h): A stays below 2^62.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

// The inputs of the roles for the events that are learned, one row per event. Each function is called only at the role
// that brings its values.
struct TrainingEvents {
  std::size_t events;
  FillContexts contexts;
  // At the actor: 1 for the arm that was played and 0 for all other arms, or only zeros.
  std::function<void(std::span<std::uint64_t> out)> arms;
  // At the rewarder: the reward at the plan's reward_bits, rounded without bias; 0 where l is 0.
  std::function<void(std::span<std::uint64_t> out)> rewards;
  // At the rewarder, if the plan may skip events: l, which is 1 for an event that is learned and 0 for one that is
  // skipped.
  std::function<void(std::span<std::uint64_t> out)> learned;
};

struct Sums {
  Arith gram;     // A, triangles, one row per arm
  Arith targets;  // b, one row per arm
};

inline constexpr unsigned sum_rounds = 2;
// Adds the events to the sums. 2 rounds.
[[nodiscard]] Task<void> sum_training(Party& party, const BatchPlan& plan, Sums& sums, TrainingEvents lessons);

// The result of the first round. The first round has its own function, so that other work can share the round.
struct SharedTraining {
  Masked x, r;
  // The arms: as words in `o`, or as bits in `chosen`, one row per arm.
  std::optional<Masked> o;
  std::optional<protocols::MaskedBits> chosen;
  std::optional<Masked> l;
};
[[nodiscard]] Task<SharedTraining> share_training(Party& party, const BatchPlan& plan, TrainingEvents lessons);

// The second round. Returns the sum of o_a x x' that it added to A.
[[nodiscard]] Task<Arith> add_training(Party& party, const SharedTraining& brought, Arith& gram, Arith& targets);

}  // namespace sotto::apps::bandit
