// secure_sum: one node learns the sum of the parties' words, and nothing else about them.
//
// Functionality   `receiver` gets z_0 + ... + z_{n-1} in Z/2^64, lane by lane.
// How             Each party adds the next share of zero to its words and sends the sums to the receiver.
// Rounds, bytes   1 round; each party sends 8 bytes per lane to the receiver.
// Views           The receiver sees words that are uniform except for their sum, so the view can be simulated from the
//                 output and the receiver's own input. A party that colludes with the receiver reveals its own input to
//                 the receiver. With two parties, the sum then reveals the other party's input.
// Ranges          any words; callers know from bounds that the sum does not wrap around.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// zero shares: each party has words that look uniform to the other parties, and the words of all parties add up to
// zero. No dealer is needed.
//
// Functionality   Each compute party gets a sequence of shares of zero in Z/2^64.
// How             Each pair of parties has a seed, which the party with the lower number draws and sends. The party
//                 with the lower number adds the seed's expansion, and the other party subtracts it. (Bonawitz et al.
//                 2017, "Practical Secure Aggregation", section 4, without their dropouts: a run ends when a party is
//                 lost.)
// Rounds, bytes   1 round to set up, n (n-1) / 2 seeds of 16 bytes.
// Views           To any n-2 parties together, the shares of the other two parties look uniform except for their sum.
//                 Any n-1 parties together know the share of the remaining party, so with two parties the shares hide
//                 nothing.
// Used once       All parties take each share once, in the same order.

class ZeroShares {
 public:
  // `with_lower` has the seeds that this party shares with the parties of lower number, and `with_higher` those of
  // higher number. Both are empty at a node that does not compute.
  ZeroShares(const std::vector<Seed>& with_lower, const std::vector<Seed>& with_higher);

  // values[i] += the next share in Z/2^64; nothing at a node that does not compute.
  void add_to(std::span<std::uint64_t> values);

 private:
  std::vector<Prg> lower_;
  std::vector<Prg> higher_;
};

// Sets up shares of zero from a `secret` of this party only, fresh for the run.
[[nodiscard]] Task<ZeroShares> agree_on_zero_shares(Party& party, Seed secret);

// Returns the sum at the receiver, and nothing elsewhere. Throws std::invalid_argument unless `values` has `lanes`
// words at a party and none elsewhere.
[[nodiscard]] Task<Words> secure_sum(Party& party, NodeId receiver, ZeroShares& zero, Words values, std::size_t lanes,
                                     Label label);

}  // namespace sotto::protocols
