#include "protocols/convert/bool_to_arith.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/ring/fixed_point.h"
#include "core/sharing/share_access.h"
#include "protocols/boolean/packed_bits.h"

namespace sotto::protocols {
namespace {

struct DaBits {
  Words boolean;                  // r, a word a lane
  std::vector<Words> arithmetic;  // by bit: r_i in Z/2^(k-i)
};

DaBits draw_dabits(Party& party, std::size_t lanes, unsigned width, unsigned ring_bits) {
  Correlations& correlations = party.correlations();
  DaBits dabits;
  dabits.boolean = correlations.uniform(lanes, width, Group::exclusive_or);
  for (unsigned bit = 0; bit < width; ++bit) {
    dabits.arithmetic.push_back(
        correlations.deal(lanes, ring_bits - bit, [&](std::span<std::uint64_t> out) {
          for (std::size_t i = 0; i < lanes; ++i) out[i] = (dabits.boolean[i] >> bit) & 1;
        }));
  }
  return dabits;
}

Arith combine(const Party& party, Shape shape, unsigned ring_bits, const Words& opened,
              const DaBits& dabits) {
  if (!party.holds_shares()) return Arith(shape, 0, ring_bits);
  const std::uint64_t ring = ring_mask(ring_bits);
  const std::uint64_t one = party.adds_constants() ? 1 : 0;
  Words sum(opened.size(), 0);
  for (std::size_t bit = 0; bit < dabits.arithmetic.size(); ++bit) {
    const Words& r = dabits.arithmetic[bit];
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const bool flipped = ((opened[i] >> bit) & 1) != 0;
      sum[i] += (flipped ? one - r[i] : r[i]) << bit;
    }
  }
  for (std::uint64_t& word : sum) word &= ring;
  return Arith(shape, 0, std::move(sum), ring_bits);
}

}  // namespace

Task<Arith> bool_to_arith(Party& party, Bool value, unsigned ring_bits, Label label) {
  if (ring_bits < 1 || ring_bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  const Bool kept = value.low(std::min(value.width(), ring_bits));
  const std::size_t lanes = kept.lanes();
  const unsigned width = kept.width();
  const DaBits dabits = draw_dabits(party, lanes, width, ring_bits);

  // 1. Open c = b ^ r.
  Words masked = ShareAccess::words(kept);
  for (std::size_t i = 0; i < masked.size(); ++i) masked[i] ^= dabits.boolean[i];
  Words packed = pack_bits(masked, width);
  const Slot slot{label, SlotKind::open, 64, packed_words(lanes, width), 0, Group::exclusive_or};
  co_await Exchange(party.rounds(), slot, packed, packed);

  // 2. [b_i] from c_i and [r_i].
  const Words opened = unpack_bits(packed, lanes, width);
  co_return combine(party, kept.shape(), ring_bits, opened, dabits);
}

}  // namespace sotto::protocols
