#include "sotto/protocol/summation/secure_sum.h"

#include <stdexcept>
#include <utility>

namespace sotto::protocols {

Task<Words> secure_sum(Party& party, NodeId receiver, ZeroShares& zero, Words values, std::size_t lanes, Label label) {
  if (values.size() != (party.holds_shares() ? lanes : 0)) {
    throw std::invalid_argument("each party gives a word a lane, and nobody else any");
  }
  zero.add_to(values);
  Words sum;
  if (party.is(receiver)) {
    sum = std::move(values);
    sum.resize(lanes, 0);
    values.clear();
  }
  const Slot slot{label, SlotKind::open_to, 64, lanes, receiver};
  co_await Exchange(party.rounds(), slot, values, sum);
  co_return sum;
}

}  // namespace sotto::protocols
