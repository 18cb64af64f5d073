// Adds decided events to the sums A and b, which are exact in shares and never opened.
//
// Functionality   Inputs: A and b, and the contexts x of up to B events. The actor brings the one-hot o of the played
//                 arm. If o contains only zeros, the event is not learned, and only the actor knows this. The rewarder
//                 brings l r, where r is the reward. If the plan may skip events, the rewarder also brings the secret
//                 bit l, which is 0 if the event is not learned. If the plan skips no events, l is 1. Output:
//                     A_a <- A_a + the sum of o_a l x x'       b_a <- b_a + the sum of o_a l r x
// Rounds          2, for any B, any number n of parties and any A:
//                 1  The holders share x, the actor shares o, and the rewarder shares l and l r.
//                 2  The parties mask o_a x, and also l x if the plan may skip events. They then compute both sums
//                    without a message.
//                 If two parties compute products by transfers and all events are learned, the actor shares o as bits,
//                 because selecting by bits is then cheaper. The parties then mask x x' and r x, and select these
//                 products by the bits of o. The sums are the same.
// Views           Openings are uniform. The compute parties and the dealer see how many events there are.
// Ranges          |x| <= R, |r| <= 1, at most T events in a run (batch_plan.h), so A stays below 2^62.
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

// One row per event. The program calls each function only at the role whose values the function writes.
struct TrainingEvents {
  std::size_t events;
  FillContexts contexts;
  // At the actor: writes one-hots, or zeros for events that are not learned.
  std::function<void(std::span<std::uint64_t> out)> arms;
  // At the rewarder: writes l r with reward_bits fraction bits, rounded without bias.
  std::function<void(std::span<std::uint64_t> out)> rewards;
  // At the rewarder: writes l, if the plan may skip events.
  std::function<void(std::span<std::uint64_t> out)> learned;
};

struct Sums {
  Arith gram;     // one triangle per arm
  Arith targets;  // one row per arm
};

inline constexpr unsigned sum_rounds = 2;
// Adds the events to `sums`. 2 rounds.
[[nodiscard]] Task<void> sum_training(Party& party, const BatchPlan& plan, Sums& sums, TrainingEvents lessons);

// The first round of sum_training().
struct SharedTraining {
  Masked x, r;
  std::optional<Masked> o;
  std::optional<protocols::MaskedBits> chosen;
  std::optional<Masked> l;
};
[[nodiscard]] Task<SharedTraining> share_training(Party& party, const BatchPlan& plan, TrainingEvents lessons);

// The second round of sum_training(). Returns the sum of o_a l x x'.
[[nodiscard]] Task<Arith> add_training(Party& party, const SharedTraining& brought, Arith& gram, Arith& targets);

}  // namespace sotto::apps::bandit
