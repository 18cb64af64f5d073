// decide: the arms of a batch of events, from the current weights [Hannun et al. 2019, algorithm 1 lines 5 to 16].
//
// Functionality   Inputs: the weights of A arms, the contexts x of up to B events, and the arms that each event allows.
//                 Output: the actor learns one allowed arm per event, epsilon-greedy by the scores w_a . x. The other
//                 roles learn nothing.
//                 With BatchPlan::notes_best, each party also keeps a share of a bit per event: whether the chosen arm
//                 is the best allowed arm. An evaluation of the actor's log needs these bits (evaluate/).
// Rounds          5 for any B, any number n of parties and up to 64 arms; 10 for more arms:
//                     1  The holders of features share x. The parties mask w again, without carry terms (masked.h).
//                     2  The parties compute and mask the scores s_a = w_a . x.
//                     3  The parties compare all pairs of scores.
//                     4  The parties count the wins of each arm.
//                     5  The parties open the one-hot of the arm to the actor.
//                 The bits need one more round, before the last one: the AND of the best and the chosen one-hots. The
//                 bits come first, because a party stores its shares before the actor sees the arms.
// Bytes           Per event, the holders send D words. Each party sends A words and A (A+1) / 2 bytes to each other
//                 party, and A bytes to the actor. The bits need 2 A bits more to each other party.
// Views           The actor sees the arms. The compute parties see uniform openings, the number of events, and the arms
//                 that each event allows. The dealer sees the number of events.
// Ranges          |x| <= R in a run of T events, and the weights come from learn(). So two scores differ by at most 1.1
//                 R sqrt(T / 2). The holders check their inputs before sharing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

// Writes the features of holder `party`, one row per event, with context_bits fraction bits. Called only at that
// holder.
using FillContexts = std::function<void(std::size_t party, std::span<std::uint64_t> out)>;

// The holders share the contexts of `events` events. 1 round.
[[nodiscard]] Task<Masked> share_contexts(Party& party, const BatchPlan& plan, std::size_t events, FillContexts fill);

// The functions that receive what a party keeps of a decide. Both are called before the party sends any part of the
// arms to the actor, `noted` first.
struct KeptOfDecide {
  std::function<void(std::span<const std::uint64_t>)>
      noted{};                  // with notes_best: the party's share of each event's bit
  protocols::SentWords sent{};  // the party's parts of the arms
};

// Returns the arms as one-hots in Z/2^8, one row per event. Only the actor learns the arms.
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, Arith weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {}, KeptOfDecide kept = {});
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, const Masked& weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {});

// agree: counts the events of a batch in which the played arm is the best arm by the current weights.
//
// Functionality   Inputs: the weights of A arms, the contexts x of up to B events, and the arms that each event allows.
//                 For each event, the actor brings the one-hot o of the played arm, or of "no arm". An event with "no
//                 arm" does not count, and only the actor knows which events these are. Output: shares of the number of
//                 events whose played arm is the best arm. The best arm is an allowed arm with the largest w_a . x;
//                 ties are broken at random. The parties also bring shares of a number H that does not depend on this
//                 batch. The actor learns H. No role learns anything else.
// Rounds          5 for any B, any number n of parties and up to 64 arms; 10 for more arms, as in decide():
//                     1  The holders share x, and the actor shares o as bits. The parties mask w again, and open H to
//                        the actor.
//                     2  The parties compute and mask s_a = w_a . x, and open their coins. Three parties without a
//                        dealer also mask o again.
//                     3  The parties compare all pairs, and check that o is one-hots.
//                     4  The parties count the wins of each arm.
//                     5  The parties mask the one-hots of the best arms. The count is the inner product of these
//                        one-hots and o.
// Bytes           Per event, the holders send D words, and the actor sends A + 1 bits. To each other party, each party
//                 sends 2 A words and A (A+1) / 2 bytes. Three parties without a dealer send A more words. Per batch,
//                 each party sends 3 words to each other party, and 8 bytes to the actor.
// The actor       may cheat, but gains nothing. The actor shares o as bits, so each entry of o is a bit. Each event
//                 must have exactly one 1 in o, for an arm or for "no arm". If an event has another number of ones, the
//                 run ends before the count is used, with a probability of at least 1 - (A + 1) / 2^64 (one_hots.h). So
//                 an event changes the count by at most 1.
// Views           The compute parties see uniform openings, the number of events, the arms that each event allows, and
//                 whether o is one-hots. The actor sees H, and shares of H to which the parties have added fresh shares
//                 of zero. The dealer sees the number of events.
// Ranges          As in decide(). The count is at most B.
// Throws          ProtocolError at a party if o is not one-hots.

// The program calls each function only at the role whose values the function writes.
struct PlayedEvents {
  std::size_t events;
  FillContexts contexts;
  protocols::AllowedArms allowed{};  // see include/sotto/protocol/compare/choose.h
  // At the actor: writes one column per event. The 1 is in the row of the played arm, or in the last row if no arm was
  // played.
  std::function<void(std::span<std::uint64_t> out)> played;
  // At a party: writes two fresh random words.
  std::function<void(std::span<std::uint64_t> out)> coins;
  std::uint64_t shown = 0;      // a party's share of H
  protocols::SentWords sent{};  // called at a party with the share of H that the party sends
};
struct AgreementOf {
  Arith agreed;  // shares of the count, 1 x 1
  Public shown;  // H, at the actor
};

[[nodiscard]] Task<AgreementOf> agree(Party& party, const BatchPlan& plan, Arith weights, PlayedEvents events);

}  // namespace sotto::apps::bandit
