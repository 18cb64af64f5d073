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

}  // namespace sotto::protocols
