#include "sotto/protocols/compare/ranked_values.h"

#include <algorithm>
#include <utility>

#include "sotto/core/sharing/share_access.h"

namespace sotto::protocols {

Masked ranked_values(Party& party, const Masked& scores, const PoolVector<std::size_t>& ranks, Shape groups,
                     RankedWidths widths) {
  const std::size_t arms = scores.lanes();
  const Words& m = ShareAccess::mask(scores);
  Words mask = party.correlations().deal(groups.lanes(), 64, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t a = 0; a < arms; ++a) out[a] = ((m[a] >> widths.shift) << widths.rank_bits) - ranks[a];
  });
  Words words;
  if (party.holds_shares()) {
    const Words& d = ShareAccess::words(scores);
    words.assign(groups.lanes(), 0);
    for (std::size_t a = 0; a < arms; ++a) words[a] = (d[a] >> widths.shift) << widths.rank_bits;
  }
  return Masked(groups, 0, std::move(words), std::move(mask));
}

}  // namespace sotto::protocols
