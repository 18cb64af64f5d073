#include "sotto/protocol/io/open.h"

#include <utility>

#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

Words refreshed(Party& party, const Arith& value) {
  const Additive zero = party.preprocessing().zero(value.lanes(), value.bits(), Group::sum);
  Words shares = ShareAccess::words(value);
  const std::uint64_t ring = ring_mask(value.bits());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (shares[i] + zero.words[i]) & ring;
  return shares;
}

}  // namespace

Task<Public> open(Party& party, Arith value, Label label) {
  Words words = refreshed(party, value);
  const Slot slot{label, SlotKind::open, value.bits(), value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Public(value.shape(), value.scale(), std::move(words), value.bits());
}

Task<Public> open_to(Party& party, NodeId receiver, Arith value, Label label, SentWords sent) {
  const Words shares = refreshed(party, value);
  if (sent && party.holds_shares()) sent(shares);
  Words sum;
  if (party.is(receiver)) {
    sum = shares;
    sum.resize(value.lanes(), 0);
  }
  const Slot slot{label, SlotKind::open_to, value.bits(), value.lanes(), receiver};
  co_await Exchange(party.rounds(), slot, shares, sum);
  co_return Public(value.shape(), value.scale(), std::move(sum), value.bits());
}

}  // namespace sotto::protocols
