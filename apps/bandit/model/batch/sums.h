// The sums of decided events: what they add to A and b, exact in shares, and never opened.
//
// Functionality   A and b, and of up to B events the contexts x from their owners, the one-hot o of the arm that was
//                 played from the actor (all zero: this event is not learned, which nobody else sees), l r and, where
//                 the plan says so, the secret bit l from the rewarder (l = 0: not learned) ->
//                     A_a <- A_a + the sum of o_a l x x'       b_a <- b_a + the sum of o_a l r x
// How round       1  x by its owners, o by the actor, l and l r by the rewarder
//                 2  o_a x, masked; l x where there is l; then both sums without a message
//                 Where bits select more cheaply (two parties by transfers) and all events are learned, o comes as
//                 bits, and x x' and r x are masked before they are selected. The sums are the same, exactly.
// Rounds          2, for any B, n and A. Nothing depends on the sums before: their order does not matter.
// Who sees what   Openings are uniform. The compute parties and the dealer see how many events there are.
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

// What the roles bring for the events that are learned, an event a row; each function is called where it belongs and
// nowhere else.
struct Lessons {
  std::size_t events;
  FillContexts contexts;
  // At the actor: 1 for the arm that was played, zeros otherwise, or zeros alone.
  std::function<void(std::span<std::uint64_t> out)> arms;
  // At the rewarder: the reward at the plan's reward_bits, rounded without bias; 0 where l is 0.
  std::function<void(std::span<std::uint64_t> out)> rewards;
  // At the rewarder, where the plan may skip: l, 1 or 0.
  std::function<void(std::span<std::uint64_t> out)> learned;
};

struct Sums {
  Arith gram;     // A, triangles, an arm a row
  Arith targets;  // b, an arm a row
};

inline constexpr unsigned sum_rounds = 2;
// Both rounds.
[[nodiscard]] Task<void> sum_lessons(Party& party, const BatchPlan& plan, Sums& sums, Lessons lessons);

// The first round by itself: others may use the same round.
struct BroughtLessons {
  Masked x, r;
  // The arms, as words or, an arm a row, as bits.
  std::optional<Masked> o;
  std::optional<protocols::MaskedBits> chosen;
  std::optional<Masked> l;
};
[[nodiscard]] Task<BroughtLessons> bring_lessons(Party& party, const BatchPlan& plan, Lessons lessons);

// The second round. Returns what it added to A: the sum of o_a x x'.
[[nodiscard]] Task<Arith> add_lessons(Party& party, const BroughtLessons& brought, Arith& gram, Arith& targets);

}  // namespace sotto::apps::bandit
