#include "protocols/arithmetic/mask_trunc.h"

#include <stdexcept>
#include <utility>

#include "core/sharing/share_access.h"

namespace sotto::protocols {
namespace {

constexpr std::uint64_t low_63_bits = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t offset = std::uint64_t{1} << 62;

}  // namespace

Task<Masked> mask_trunc(Party& party, Folded value, unsigned f, Label label) {
  if (f < 1 || f > 62 || f > value.scale()) {
    throw std::invalid_argument("a truncation takes 1 to 62 bits, no more than the value's scale");
  }
  const std::size_t lanes = value.lanes();
  Correlations& correlations = party.correlations();
  Words words = std::move(ShareAccess::words(value));

  // 1. The parties' pad t; at the dealer r = t - c, and what follows from it.
  Words r = correlations.uniform(lanes, 64);
  if (party.deals()) {
    for (std::size_t i = 0; i < words.size(); ++i) r[i] -= words[i];
    words.clear();
  }
  Words mask = correlations.deal(lanes, 64, [&](std::span<std::uint64_t> mu) {
    for (std::size_t i = 0; i < lanes; ++i)
      mu[i] = ((r[i] & low_63_bits) >> f) - ((r[i] >> 63) << (63 - f));
  });
  const Words h = correlations.deal(lanes, f, [&](std::span<std::uint64_t> out) {
    for (std::size_t i = 0; i < lanes; ++i) out[i] = r[i] >> 63;
  });

  // 2. Open z + 2^62 + r.
  const std::uint64_t constant = party.adds_constants() ? offset : 0;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += r[i] + constant;
  const Slot slot{label, SlotKind::open, 64, lanes};
  co_await Exchange(party.rounds(), slot, words, words);

  // 3. D, k and the share of m = mu + k 2^(64-f) h; at the dealer mu and g.
  Words cut(party.holds_shares() || party.deals() ? lanes : 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t c = words[i];
    const std::uint64_t k = c >> 63;
    words[i] = ((c & low_63_bits) >> f) - (offset >> f) + (k << (63 - f));
    mask[i] += k * (h[i] << (64 - f));
    cut[i] = k;
  }
  if (party.deals()) {
    for (std::size_t i = 0; i < lanes; ++i) cut[i] = h[i] << (64 - f);
  }
  PoolVector<Masked::Cut> cuts;
  cuts.push_back(Masked::Cut{f, std::move(cut)});
  co_return Masked(value.shape(), value.scale() - f, std::move(words), std::move(mask),
                   std::move(cuts));
}

Task<Masked> mask_trunc(Party& party, Arith value, unsigned f, Label label) {
  return mask_trunc(party, Folded(std::move(value)), f, label);
}

}  // namespace sotto::protocols
