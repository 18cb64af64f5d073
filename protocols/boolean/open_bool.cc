#include "sotto/protocol/boolean/open_bool.h"

#include <utility>

#include "sotto/protocol/boolean/packed_bits.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// The same value in shares that nothing else depends on.
Words refreshed(Party& party, const Bool& value) {
  const Additive zero = party.preprocessing().zero(value.lanes(), value.width(), Group::exclusive_or);
  Words shares = ShareAccess::words(value);
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] ^= zero.words[i];
  return shares;
}

}  // namespace

Task<Public> open_bool(Party& party, Bool value, Label label) {
  const unsigned width = value.width();
  Words packed = pack_bits(refreshed(party, value), width);
  const Slot slot{label, SlotKind::open, 64, packed_words(value.lanes(), width), 0, Group::exclusive_or};
  co_await Exchange(party.rounds(), slot, packed, packed);
  Words words = unpack_bits(packed, value.lanes(), width);
  co_return Public(value.shape(), 0, std::move(words), width);
}

}  // namespace sotto::protocols
