#include "sotto/protocols/arithmetic/mask_trunc.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/core/ring/kernels.h"
#include "sotto/core/sharing/share_access.h"

namespace sotto::protocols {
namespace {

constexpr std::uint64_t offset = std::uint64_t{1} << 62;

}  // namespace

Task<Masked> mask_trunc(Party& party, PendingProduct value, unsigned f, Label label) {
  if (f < 1 || f > 62 || f > value.scale()) {
    throw std::invalid_argument("a truncation takes 1 to 62 bits, no more than the value's scale");
  }
  const std::size_t lanes = value.lanes();
  Correlations& correlations = party.correlations();
  Words words = std::move(ShareAccess::words(value));

  // 1. At a party z - c + t, t its pad; at the dealer r = t - c, and its parts.
  if (party.deals()) {
    words.resize(lanes, 0);
    for (std::uint64_t& word : words) word = std::uint64_t{0} - word;
  }
  correlations.add_uniform(words, lanes, 64);
  Words top(party.deals() ? lanes : 0);
  Words mask = correlations.deal(lanes, 64, [&](std::span<std::uint64_t> mu) {
    kernels().truncation_mask(mu.data(), top.data(), words.data(), f, lanes);
  });
  Words h = correlations.deal(lanes, f,
                              [&](std::span<std::uint64_t> out) { std::copy(top.begin(), top.end(), out.begin()); });

  // 2. Open z + 2^62 + r.
  if (party.adds_constants()) {
    for (std::uint64_t& word : words) word += offset;
  }
  const Slot slot{label, SlotKind::open, 64, lanes};
  const std::span<std::uint64_t> opened(words.data(), party.holds_shares() ? lanes : 0);
  co_await Exchange(party.rounds(), slot, opened, opened);

  // 3. D, k and the share of m = mu + k 2^(64-f) h; at the dealer mu and g.
  if (party.holds_shares()) {
    kernels().truncate_opened(words.data(), mask.data(), h.data(), f, lanes);
  } else {
    words.clear();
    for (std::uint64_t& g : h) g <<= 64 - f;
  }
  PoolVector<Masked::CarryTerm> carry_terms;
  carry_terms.push_back(Masked::CarryTerm{f, std::move(h)});
  co_return Masked(value.shape(), value.scale() - f, std::move(words), std::move(mask), std::move(carry_terms));
}

Task<Masked> mask_trunc(Party& party, Arith value, unsigned f, Label label) {
  return mask_trunc(party, PendingProduct(std::move(value)), f, label);
}

}  // namespace sotto::protocols
