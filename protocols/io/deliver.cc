#include "sotto/protocols/io/deliver.h"

namespace sotto::protocols {

Task<Words> deliver(Party& party, NodeId from, NodeId to, Words words, std::size_t lanes, Label label) {
  Words received;
  if (party.is(to)) received.assign(lanes, 0);
  const Slot slot{label, SlotKind::direct, 64, lanes, to, Group::sum, from};
  co_await Exchange(party.rounds(), slot, words, received);
  co_return received;
}

}  // namespace sotto::protocols
