#include "protocols/boolean/open_bool.h"

#include <utility>

#include "core/sharing/share_access.h"
#include "protocols/boolean/packed_bits.h"

namespace sotto::protocols {

Task<Public> open_bool(Party& party, Bool value, Label label) {
  const unsigned width = value.width();
  Words packed = pack_bits(ShareAccess::words(value), width);
  const Slot slot{label, SlotKind::open,     64, packed_words(value.lanes(), width),
                  0,     Group::exclusive_or};
  co_await Exchange(party.rounds(), slot, packed, packed);
  Words words = unpack_bits(packed, value.lanes(), width);
  co_return Public(value.shape(), 0, std::move(words), width);
}

}  // namespace sotto::protocols
