#include "sotto/protocols/compare/ranked_values.h"

#include <utility>

#include "sotto/core/sharing/share_access.h"

namespace sotto::protocols {

Masked ranked_values(Party& party, const Masked& scores, const Samples& samples, Shape groups, RankedWidths widths) {
  Mask mask = party.preprocessing().ranked_mask(ShareAccess::mask(scores), samples, widths, groups.lanes());
  Words words;
  if (party.holds_shares()) {
    const Words& d = ShareAccess::words(scores);
    words.assign(groups.lanes(), 0);
    for (std::size_t a = 0; a < d.size(); ++a) words[a] = (d[a] >> widths.shift) << widths.rank_bits;
  }
  return Masked(groups, 0, std::move(words), std::move(mask));
}

}  // namespace sotto::protocols
