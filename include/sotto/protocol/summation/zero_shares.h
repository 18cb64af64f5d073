// zero shares: words that look uniform at each party and add up to zero over all of them. They hide each party's term
// of a sum, and need no dealer.
//
// Functionality   Each compute party gets a sequence of shares of zero in Z/2^64.
// How             Each pair of parties has a seed, which the lower number draws and sends to the
//                 other. The lower adds the seed's expansion, the higher subtracts it (Bonawitz
//                 et al. 2017, "Practical Secure Aggregation", section 4, without their dropouts: a run ends when a
//                 party is lost).
// Rounds, bytes   1 round to set up, n (n-1) / 2 seeds of 16 bytes; the shares themselves are local,
//                 (n-1) expansions a word.
// Who sees what   Any n-2 parties together see the shares of the other two as uniform but for their
//                 sum; n-1 parties know the share of the last one. So with two parties each knows the other's share: it
//                 hides nothing there.
// Used once       Each share is taken once, in the same order at all parties.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

class ZeroShares {
 public:
  // The seeds that this party shares with those of lower and of higher number; none at a node that does not compute.
  ZeroShares(const std::vector<Seed>& with_lower, const std::vector<Seed>& with_higher);

  // values[i] += the next share in Z/2^64. Nothing at a node that does not compute.
  void add_to(std::span<std::uint64_t> values);

 private:
  std::vector<Prg> lower_;
  std::vector<Prg> higher_;
};

// The set-up. `secret` is this party's own, fresh for the run: its seeds are derived from it. Nodes that do not compute
// may give any.
[[nodiscard]] Task<ZeroShares> agree_on_zero_shares(Party& party, Seed secret);

}  // namespace sotto::protocols
