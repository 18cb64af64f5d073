#include "sotto/protocol/io/mask.h"

#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

Task<Masked> mask(Party& party, Arith value, Label label) {
  if (value.bits() != 64) throw std::invalid_argument("only values in Z/2^64 are masked for products");
  Mask m = party.preprocessing().mask(value.lanes(), 64);
  Words words = std::move(ShareAccess::words(value));
  kernels().add(words.data(), m.words.data(), words.size());
  const Slot slot{label, SlotKind::open, 64, value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Masked(value.shape(), value.scale(), std::move(words), std::move(m));
}

Task<MaskedIndex> mask_index(Party& party, Arith value, Label label) {
  Words words = std::move(ShareAccess::words(value));
  IndexMask m = party.preprocessing().add_index_mask(words, value.lanes(), value.bits());
  const Slot slot{label, SlotKind::open, value.bits(), value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return MaskedIndex(value.shape(), value.bits(), std::move(words), std::move(m));
}

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
