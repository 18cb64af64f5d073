#include "protocols/io/open.h"

#include <utility>

#include "core/sharing/share_access.h"

namespace sotto::protocols {

Task<Public> open(Party& party, Arith value, Label label) {
  Words words = ShareAccess::words(value);
  const Slot slot{label, SlotKind::open, value.bits(), value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Public(value.shape(), value.scale(), std::move(words), value.bits());
}

Task<Public> open_to(Party& party, NodeId receiver, Arith value, Label label) {
  const Words& shares = ShareAccess::words(value);
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
