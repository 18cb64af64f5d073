#include "sotto/protocols/io/mask.h"

#include <stdexcept>
#include <utility>

#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/ring/kernels.h"
#include "sotto/core/sharing/share_access.h"

namespace sotto::protocols {

Task<Masked> mask(Party& party, Arith value, Label label) {
  if (value.bits() != 64) throw std::invalid_argument("only values in Z/2^64 are masked for products");
  Words m = party.correlations().uniform(value.lanes(), 64);
  Words words = std::move(ShareAccess::words(value));
  kernels().add(words.data(), m.data(), words.size());
  const Slot slot{label, SlotKind::open, 64, value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Masked(value.shape(), value.scale(), std::move(words), std::move(m));
}

Task<MaskedIndex> mask_index(Party& party, Arith value, Label label) {
  Words m = party.correlations().uniform(value.lanes(), value.bits());
  Words words = std::move(ShareAccess::words(value));
  const std::uint64_t ring = ring_mask(value.bits());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = (words[i] + m[i]) & ring;
  const Slot slot{label, SlotKind::open, value.bits(), value.lanes()};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return MaskedIndex(value.shape(), value.bits(), std::move(words), party.deals() ? std::move(m) : Words{});
}

}  // namespace sotto::protocols
