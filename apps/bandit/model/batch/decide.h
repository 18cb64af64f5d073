// decide: the arms of a batch of events, from the weights as they are.
//
// Functionality   weights of A arms, the contexts x of up to B events from their owners, and the arms that each event
//                 allows -> the actor learns one allowed arm an event, epsilon-greedy by w_a . x; nobody else learns
//                 anything. [Hannun et al. 2019, algorithm 1 lines 5 to 16, for many events at once]
// Rounds          5 for any B and n and up to 64 arms, 10 above:
//                     1  x shared by its owners; w masked again, so that it has no carry term
//                     2  s_a = w_a . x, masked; right up to the highest bit that is compared
//                     3  all pairs compared
//                     4  wins counted
//                     5  the one-hot of the arm to the actor
// Bytes           an event: D words from its owners, A words, A (A-1) / 2 + A bytes from each party to each other, A
//                 bytes to the actor; `sotto plan` prints them. Measured = planned is checked in every run.
// Who sees what   The actor: the arms. The compute parties: uniform openings, the number of events, and the arms that
//                 each of them allows. The dealer: the number of events. Nothing is kept in shares afterwards.
// Ranges          |x| <= R, and weights as learn leaves them: |s_i - s_j| <= 1.1 R sqrt(T / 2). Owners check their
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

// Writes the words of a party's part of the contexts of a batch, an event a row, at the plan's context_bits: called at
// that party alone.
using FillContexts = std::function<void(std::size_t party, std::span<std::uint64_t> out)>;

// The contexts of `events` events, every party's part side by side. 1 round.
[[nodiscard]] Task<Masked> share_contexts(Party& party, const BatchPlan& plan, std::size_t events, FillContexts fill);

// The arms as one-hots in Z/2^8, an event a row, known to the actor alone. `weights` in shares, of this program or of
// one before it: they are masked anew. `allowed` as in include/sotto/protocol/compare/choose.h, `sent` as in
// include/sotto/protocol/io/open.h.
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, Arith weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {},
                                  protocols::SentWords sent = {});
[[nodiscard]] Task<Public> decide(Party& party, const BatchPlan& plan, const Masked& weights, std::size_t events,
                                  FillContexts fill, protocols::AllowedArms allowed = {});

// agree: how many events of a batch have the arm that the model holds best, from the weights as they are.
//
// Functionality   weights of A arms, the contexts x of up to B events from their owners, the arms that each event
//                 allows, and from the actor the arm o that the caller of each event played, or none: that event does
//                 not count, which nobody else sees -> shares of the number of events whose o is an allowed arm of
//                 largest w_a . x, drawn at random among several. Besides, the actor is shown a number of which the
//                 parties bring shares. Nobody learns anything else. Nothing explores: no arm is played.
// Rounds          5 for any B and n and up to 64 arms, 10 above, as decide:
//                     1  x shared by its owners, o by the actor as bits; w masked again; the number that is shown
//                     2  s_a = w_a . x, masked; coins opened; among three parties without a dealer also o, masked
//                     3  all pairs compared; the check that o is one-hots
//                     4  wins counted
//                     5  the one-hots of the best arms, masked: their inner product with o is the number
// Bytes           an event: D words from its owners, A + 1 bits from the actor, 2 A words and A (A-1) / 2 + A bytes
//                 from each party to each other, and A words more among three parties without a dealer; a batch: 3
//                 words from each party to each other, and 8 bytes to the actor. Measured = planned is checked.
// The actor       may cheat and gains nothing: each entry of o is a bit by its form, and each event has exactly one, an
//                 arm or none, or the run ends with a chance of at least 1 - (A + 1) / 2^64 (one_hots.h) and before the
//                 number is used. So an event moves the number by 1 at most.
// Who sees what   The compute parties: uniform openings, the number of events, the arms that each of them allows, and
//                 whether o is one-hots. The actor: the number that is shown, in shares that were refreshed by a dealt
//                 sharing of zero. The dealer: the number of events.
// Ranges          As decide. The number is at most B.
// Throws          ProtocolError at a party where o is no one-hots.

// What the roles bring; each function is called where it belongs and nowhere else.
struct PlayedEvents {
  std::size_t events;
  FillContexts contexts;
  protocols::AllowedArms allowed{};  // as in include/sotto/protocol/compare/choose.h
  // At the actor, an event a column: 1 in the row of the arm that was played, or in the one after all arms: none.
  std::function<void(std::span<std::uint64_t> out)> played;
  // At a party: its two coins, fresh.
  std::function<void(std::span<std::uint64_t> out)> coins;
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
