// What both kinds of single steps have in common (step/single_step.h): who plays it, its arm, its reward, its divisor.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

// A step of a role's run.
struct CurrentStep {
  Party& party;
  const BanditPlan& plan;
  BanditSite& site;
  std::uint64_t number;  // the first is 0
};

// The context of the step after this one, where it is shared ahead.
using NextContext = std::optional<Masked>;

// From masked scores, an arm a row, the one-hot of the arm, a column of unscaled bits. 2 rounds for 2 to 64 arms, 7
// above.
[[nodiscard]] Task<Arith> chosen_arm(const CurrentStep& at, Masked scores);

// Tells the actor the arm, which pulls it. 1 round.
[[nodiscard]] Task<void> tell_actor(const CurrentStep& at, Arith one_hot);

// The reward of the arm that was pulled, at the plan's reward_bits. 1 round.
[[nodiscard]] Task<Masked> share_reward(const CurrentStep& at);

// r - s of each row of s.
[[nodiscard]] Masked surprise(const CurrentStep& at, const Masked& reward, const Masked& s);

// 1 + u . x of each row of u, at the plan's divisor_bits. 1 round.
[[nodiscard]] Task<Masked> divisor(const CurrentStep& at, const Masked& u, const Masked& x);

}  // namespace sotto::apps::bandit
