#include "sotto/protocol/arithmetic/mask_trunc.h"

#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

constexpr std::uint64_t offset = std::uint64_t{1} << 62;

}  // namespace

Task<Masked> mask_trunc(Party& party, PendingProduct value, unsigned f, Label label) {
  if (f < 1 || f > 62 || f > value.scale()) {
    throw std::invalid_argument("a truncation takes 1 to 62 bits, no more than the value's scale");
  }
  const std::size_t lanes = value.lanes();
  Words words = std::move(ShareAccess::words(value));

  TruncationPair pad = party.preprocessing().truncation(words, lanes, f);

  if (party.adds_constants()) {
    for (std::uint64_t& word : words) word += offset;
  }
  const Slot slot{label, SlotKind::open, 64, lanes};
  const std::span<std::uint64_t> opened(words.data(), party.holds_shares() ? lanes : 0);
  co_await Exchange(party.rounds(), slot, opened, opened);

  // The share of m = mu + k 2^(64-f) h replaces the share of mu, and k replaces the share of h.
  if (party.holds_shares()) {
    kernels().truncate_opened(words.data(), pad.mu.words.data(), pad.h.words.data(), f, lanes);
  } else {
    words.clear();
  }
  PoolVector<Masked::CarryTerm> carry_terms;
  carry_terms.push_back(Masked::CarryTerm{f, std::move(pad.h.words), std::move(pad.g)});
  co_return Masked(value.shape(), value.scale() - f, std::move(words), std::move(pad.mu), std::move(carry_terms));
}

Task<Masked> mask_trunc(Party& party, Arith value, unsigned f, Label label) {
  return mask_trunc(party, PendingProduct(std::move(value)), f, label);
}

}  // namespace sotto::protocols
