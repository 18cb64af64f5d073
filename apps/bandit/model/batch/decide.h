// decide: the arms of a batch of events, from the current weights.
//
// Functionality   Inputs: the weights of A arms, the contexts x of up to B events from their owners, and the arms that
//                 each event allows. Output: the actor learns one allowed arm per event, epsilon-greedy by w_a . x.
//                 The other roles learn nothing. [Hannun et al. 2019, algorithm 1 lines 5 to 16, for many events at
//                 once]
// Rounds          5 for any B and n and up to 64 arms, 10 above:
//                     1  x shared by its owners; w masked again, so that it has no carry term
//                     2  s_a = w_a . x, masked; correct up to the highest bit that is compared
//                     3  all pairs compared
//                     4  wins counted
//                     5  the one-hot of the arm to the actor.
// Bytes           per event: D words from its owners; A words and A (A-1) / 2 + A bytes from each party to each other
//                 party; A bytes to the actor. `sotto plan` prints the bytes. Every run checks that measured = planned.
// Views           The actor: the arms. The compute parties: uniform openings, the number of events, and the arms that
//                 each event allows. The dealer: the number of events. After a decision, nothing is kept in shares.
// Ranges          |x| <= R, and weights as `learn` returns them: |s_i - s_j| <= 1.1 R sqrt(T / 2). Owners check their
//                 inputs before sharing.
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

// Writes the words of a party's part of the contexts of a batch, one row per event, at the plan's context_bits. A
// FillContexts is called only at that party.
using FillContexts = std::function<void(std::size_t party, std::span<std::uint64_t> out)>;

// The contexts of `events` events, every party's part side by side. 1 round.
[[nodiscard]] Task<Masked> share_contexts(Party& party, const BatchPlan& plan, std::size_t events, FillContexts fill);

// The arms as one-hots in Z/2^8, one row per event, known only to the actor. `weights` are shares that this program or
// an earlier one has computed; they are masked again. For `allowed` see include/sotto/protocol/compare/choose.h, for
// `sent` include/sotto/protocol/io/open.h.
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, Arith weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {},
                                  protocols::SentWords sent = {});
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, const Masked& weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {});

// agree: in how many events of a batch the played arm is the best arm by the current weights.
//
// Functionality   Inputs: the weights of A arms, the contexts x of up to B events from their owners, and the arms that
//                 each event allows. For each event the actor brings the arm o that its caller played, or no arm. An
//                 event without an arm does not count, and only the actor knows which events have no arm. Output:
//                 shares of the number of events whose o is the best arm. The best arm is an allowed arm with the
//                 largest w_a . x; ties are broken at random. In addition, the parties bring shares of a number, and
//                 the actor learns that number. Apart from that number, no role learns anything. There is no
//                 exploration, because no arm is played.
// Rounds          5 for any B and n and up to 64 arms, 10 above, as decide:
//                     1  x shared by its owners, o by the actor as bits; w masked again; the number to the actor
//                     2  s_a = w_a . x, masked; coins opened; with three parties and no dealer also o, masked
//                     3  all pairs compared; the check that o is one-hots
//                     4  wins counted
//                     5  the one-hots of the best arms, masked: their inner product with o is the count.
// Bytes           per event: D words from its owners, and A + 1 bits from the actor. From each party to each other
//                 party, 2 A words and A (A-1) / 2 + A bytes; with three parties and no dealer, A more words. Per
//                 batch: 3 words from each party to each other party, and 8 bytes to the actor. The measured bytes are
//                 checked against the planned bytes.
// The actor       may cheat, but gains nothing by cheating. Each entry of o is a bit, because o is shared as bits. Each
//                 event must have exactly one 1 in o, which stands for an arm or for "no arm". If an event has no 1, or
//                 more than one 1, the run ends before the count is used. The chance that it ends is at least
//                 1 - (A + 1) / 2^64 (one_hots.h). So an event changes the count by at most 1.
// Views           The compute parties: uniform openings, the number of events, the arms that each event allows, and
//                 whether o is one-hots. The actor: the number whose shares the parties brought; a dealt sharing of
//                 zero has refreshed these shares. The dealer: the number of events.
// Ranges          As decide. The count is at most B.
// Throws          ProtocolError at a party if o is not one-hots.

// The inputs of the roles. Each function is called only at the role that brings its values.
struct PlayedEvents {
  std::size_t events;
  FillContexts contexts;
  protocols::AllowedArms allowed{};  // see include/sotto/protocol/compare/choose.h
  // At the actor, one column per event. The 1 is in the row of the played arm, or in the row after all arms if no arm
  // was played.
  std::function<void(std::span<std::uint64_t> out)> played;
  // At a party: its two fresh coins.
  std::function<void(std::span<std::uint64_t> out)> coins;
  std::uint64_t shown = 0;      // a compute party's share of the number that the actor learns
  protocols::SentWords sent{};  // called at a compute party with its word of `shown`, which goes to the actor
};
struct AgreementOf {
  Arith agreed;  // 1 x 1
  Public shown;  // 1 x 1, known only to the actor
};

// `weights` are shares that this program or an earlier one has computed; they are masked again.
[[nodiscard]] Task<AgreementOf> agree(Party& party, const BatchPlan& plan, Arith weights, PlayedEvents events);

}  // namespace sotto::apps::bandit
