// count_lift: counts the events of a learn by reward level, for the lift of a service over its baseline arm.
//
// Functionality   Inputs, for each of up to B events: The actor brings the bits `told` (the service chose the arm among
//                 all arms, and its caller got this arm) and `base` (told, and the arm is the baseline arm). The
//                 rewarder brings the one-hot of the reward's level, or of "none". Each party brings its XOR share of
//                 the bit b (decide.h: the played arm was the model's best), and a bit that says whether it counts the
//                 event. An event counts if `told` is 1 and all parties count it. The output is 3 L counts in shares,
//                 for L levels. The count all_l has the events with level l. The count best_l has those with base and
//                 b, and the count other_l has those with base and without b.
//                 The parties also bring shares of 3 L numbers H, which do not depend on these events. The rewarder
//                 brings 3 L numbers of noise. The actor learns H + noise. No role learns anything else.
// Rounds          3 + ceil(log2 n) for n parties, and one more without a dealer. A learn takes more rounds and runs at
//                 the same time.
//                     1        The actor, the rewarder and the parties share their bits. The rewarder shares its noise.
//                     2        The parties open their coins, and H + noise to the actor. They compute base & b, and
//                              begin the AND of the bits of all parties, which takes ceil(log2 n) rounds.
//                     then     The parties compute the AND with told, with base, and with base & b.
//                     last     The parties mask these bits. The counts are inner products with the levels.
// Bytes           Per event, the actor sends 2 bits, the rewarder L + 1 bits, and each party 1 bit of its own. To each
//                 other party, each party sends 2 (n - 1) + 11 bits. Per learn, the rewarder sends 3 L words, and each
//                 party sends 3 words to each other party and 3 L words to the actor.
// The rewarder    may cheat, but gains nothing: its bits must be one-hots, as those of the actor in agree() (decide.h).
// Views           The compute parties see uniform openings, and whether the rewarder's bits are one-hots. The actor
// sees
//                 shares of H + noise to which the parties have added fresh shares of zero.
//                 With the played arms and the rewards fixed, the features of one event affect only its b. So they move
//                 one best_l and one other_l by 1 each, and no other count. One reward moves at most four counts by 1.
//                 apps/live/order/lift_window.h has the noise that covers this.
// Ranges          Counts are at most B. L is at most 8.
// Throws          ProtocolError at a party if the rewarder's bits are not one-hots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

// L is BatchPlan::lift_levels. The program calls each function only at the role whose values the function writes.
struct LiftEvents {
  using Fill = std::function<void(std::span<std::uint64_t> out)>;

  std::size_t events = 0;       // B
  Fill told;                    // at the actor
  Fill base;                    // at the actor
  Fill rewards;                 // at the rewarder: a row per level and the row of "none", with one 1 in each column
  Fill noise;                   // at the rewarder: 3 L words
  Fill best;                    // at a party: its share of each event's b
  Fill counted;                 // at a party: 1 for each event that the party counts
  Fill coins;                   // at a party: two fresh random words
  Fill shown;                   // at a party: its share of H
  protocols::SentWords sent{};  // called at a party with the words that it sends to the actor
};
struct LiftOf {
  Arith all, best, other;  // counts by level, L x 1
  Public shown;            // H + noise, at the actor
};

[[nodiscard]] Task<LiftOf> count_lift(Party& party, const BatchPlan& plan, LiftEvents events);

}  // namespace sotto::apps::bandit
