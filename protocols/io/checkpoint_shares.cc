#include "sotto/protocol/io/checkpoint_shares.h"

#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols::detail {

std::span<const std::uint64_t> own_words(const Arith& value) { return ShareAccess::words(value); }

std::span<const std::uint64_t> public_words(const Masked& value) { return ShareAccess::words(value); }

}  // namespace sotto::protocols::detail
