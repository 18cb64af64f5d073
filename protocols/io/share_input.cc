#include "sotto/protocol/io/share_input.h"

#include <stdexcept>
#include <utility>

namespace sotto::protocols {
Task<Masked> share_input(Party& party, NodeId owner, Input input, Label label) {
  const std::size_t lanes = input.shape.lanes();
  InputMask mask = party.preprocessing().input_mask(owner, lanes);
  Words words;
  if (party.is(owner)) {
    if (input.words.size() != lanes) throw std::invalid_argument("the owner's input needs a word a lane");
    words = std::move(input.words);
    for (std::size_t i = 0; i < lanes; ++i) words[i] += mask.known[i];
  } else if (party.holds_shares()) {
    words.assign(lanes, 0);
  }
  const Slot slot{label, SlotKind::broadcast, 64, lanes, owner};
  co_await Exchange(party.rounds(), slot, words, words);
  if (!party.holds_shares()) words.clear();
  co_return Masked(input.shape, input.scale, std::move(words), std::move(mask.mask));
}

}  // namespace sotto::protocols
