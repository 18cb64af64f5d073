// agree: how many events of a batch have the arm that the model holds best, from the weights as they are.
//
// Functionality   weights of A arms, the contexts x of up to B events from their owners, the arms that each event
//                 allows, and the one-hots o of the arms that callers played from the actor (all zero: this event does
//                 not count, which nobody else sees) -> shares of the number of events whose o is that of an allowed
//                 arm of largest w_a . x, drawn at random among several. Besides, the actor is shown a number of which
//                 the parties bring shares. Nobody learns anything else. Nothing explores: no arm is played.
// Rounds          5 for any B and n and up to 64 arms, 10 above, as decide.h:
//                     1  x shared by its owners, o by the actor; w masked again; the number that is shown
//                     2  s_a = w_a . x, masked
//                     3  all pairs compared
//                     4  wins counted
//                     5  the one-hots of the best arms, masked: their inner product with o is the number
// Bytes           an event: D words from its owners, A words from the actor, 2 A words and A (A-1) / 2 + A bytes from
//                 each party to each other; and 8 bytes of each party to the actor. Measured = planned is checked.
// Who sees what   The compute parties: uniform openings, the number of events, and the arms that each of them allows.
//                 The actor: the number that is shown, in shares that were refreshed by a dealt sharing of zero. The
//                 dealer: the number of events.
// Ranges          As decide.h. The number is at most B.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/winners.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

// What the roles bring; each function is called where it belongs and nowhere else.
struct PlayedEvents {
  std::size_t events;
  FillContexts contexts;
  protocols::AllowedArms allowed{};  // as in include/sotto/protocol/compare/choose.h
  // At the actor: 1 for the arm that was played, an event a row, or zeros alone.
  std::function<void(std::span<std::uint64_t> out)> played;
  std::uint64_t shown = 0;      // a compute party's share of the number that the actor is shown
  protocols::SentWords sent{};  // a compute party: the word of it that it sent
};
struct AgreementOf {
  Arith agreed;  // 1 x 1
  Public shown;  // 1 x 1, known to the actor alone
};

// `weights` in shares, of this program or of one before it: they are masked anew.
[[nodiscard]] Task<AgreementOf> agree(Party& party, const BatchPlan& plan, Arith weights, PlayedEvents events);

}  // namespace sotto::apps::bandit
