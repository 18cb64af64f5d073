// secure_sum: one node learns the sum of the parties' words, and nothing else about them.
//
// Functionality   `receiver` gets z_0 + ... + z_{n-1} in Z/2^64, lane by lane.
// How             Each party adds the next share of zero to its words and sends the sums to the receiver.
// Rounds, bytes   1 round; each party sends 8 bytes per lane to the receiver, which sends nothing.
// Views           The receiver sees n - 1 words per lane, or n words if the receiver is not a party. The words that the
//                 receiver sees are uniform except for their sum, so the view can be simulated from the output and the
//                 receiver's own input. If the receiver is one of two parties, the sum minus the receiver's input is
//                 the input of the other party: nothing is hidden. Each party that colludes with the receiver lowers n
//                 by one.
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

// zero shares: words that look uniform at each party and add up to zero over all parties. Shares of zero hide each
// party's term of a sum, and need no dealer.
//
// Functionality   Each compute party gets a sequence of shares of zero in Z/2^64.
// How             Each pair of parties has a seed: the party of lower number draws the seed and sends it to the other
//                 party. The party of lower number adds the seed's expansion, and the party of higher number subtracts
//                 the expansion. (Bonawitz et al. 2017, "Practical Secure Aggregation", section 4, without their
//                 dropouts: a run ends when a party is lost.)
// Rounds, bytes   1 round to set up, n (n-1) / 2 seeds of 16 bytes; the shares themselves are local, with n - 1
//                 expansions per word.
// Views           To any n-2 parties together, the shares of the other two parties look uniform except for their sum.
//                 Any n-1 parties together know the share of the remaining party. So with two parties each party knows
//                 the share of the other party, and the shares hide nothing.
// Used once       Each share is taken once, in the same order at all parties.

class ZeroShares {
 public:
  // The seeds that this party shares with parties of lower and of higher number; none at a node that does not compute.
  ZeroShares(const std::vector<Seed>& with_lower, const std::vector<Seed>& with_higher);

  // values[i] += the next share in Z/2^64. Does nothing at a node that does not compute.
  void add_to(std::span<std::uint64_t> values);

 private:
  std::vector<Prg> lower_;
  std::vector<Prg> higher_;
};

// The set-up of the shares of zero. `secret` is a secret of this party only, fresh for the run; this party's seeds are
// derived from `secret`. Nodes that do not compute may pass any seed.
[[nodiscard]] Task<ZeroShares> agree_on_zero_shares(Party& party, Seed secret);

// `values` has `lanes` words at each party (std::invalid_argument), and no words at all other roles. Returns the sum at
// the receiver, and nothing at any other role. `zero` must outlive the task.
[[nodiscard]] Task<Words> secure_sum(Party& party, NodeId receiver, ZeroShares& zero, Words values, std::size_t lanes,
                                     Label label);

}  // namespace sotto::protocols
