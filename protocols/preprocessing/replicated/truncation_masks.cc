#include "sotto/protocols/preprocessing/replicated/truncation_masks.h"

#include <utility>

#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/io/deliver.h"
#include "sotto/protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocols/preprocessing/replicated/bit_conversion.h"
#include "sotto/protocols/preprocessing/replicated/bit_decomposition.h"

namespace sotto::protocols {
namespace {

// low(v) >> f in each lane.
Words shifted_low(Words words, unsigned f, unsigned width) {
  for (std::uint64_t& word : words) word = (word & ring_mask(width - 1)) >> f;
  return words;
}

// (low(u) >> f) + (low(v) >> f) in pieces: of the first word one from the key and the rest, of the second the third.
Task<WordPieces> shifted_summands(Party& party, PairKeys& keys, NodeId lead, const WordPieces& r, unsigned f,
                                  Label label) {
  const NodeId second = next_of(lead);
  Words from_key = keys.of_pair(lead, r.lanes, 64);
  Words rest = shifted_low(lead_summand(keys, lead, r), f, r.bits);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= from_key[i];
  // Under K_lead, which second lacks.
  Words told = rest;
  Words heard = co_await deliver(party, lead, second, std::move(told), r.lanes, label);
  WordPieces shifted{r.lanes, 64, {}, {}};
  if (keys.self() == lead) {
    shifted.own = std::move(from_key);
    shifted.next = std::move(rest);
  } else if (keys.self() == second) {
    shifted.own = std::move(heard);
    shifted.next = shifted_low(r.next, f, r.bits);
  } else if (keys.self()) {
    shifted.own = shifted_low(r.own, f, r.bits);
    shifted.next = std::move(from_key);
  }
  co_return shifted;
}

}  // namespace

Task<TruncationMasks> truncation_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes, unsigned f,
                                       unsigned width, Label label) {
  require_argument(width >= 3 && width <= 64 && f >= 1 && f <= width - 2,
                   "a truncation in a ring of 3 to 64 bits by 1 bit to 2 fewer than those");
  WordPieces r = keys.uniform(lanes, width);
  auto [s, shifted] =
      co_await when_all(summand_bits(party, keys, lead, r, label), shifted_summands(party, keys, lead, r, f, label));

  // 1. The carries into bit f and into the top one, and the top bit.
  const unsigned top = width - 1;
  const BitPieces top_bits = s.u[top] ^ s.v[top];
  BitPieces none = keys.zero_bits(lanes);
  NumberPieces c = co_await carries(party, keys, std::move(s.u), std::move(s.v), std::move(none), top, label);

  // 2. As numbers. What 2^(top - f) multiplies needs the bits that are left above it.
  NumberPieces bits{std::move(c[f]), c[top], c[top] ^ top_bits};
  const unsigned left = 64 - (top - f);
  RingWidths widths{64, left, left};
  PoolVector<Additive> numbers = co_await bits_as_shares(party, keys, lead, std::move(bits), widths, label);

  // 3. c_f - 2^(top - f) (c_top + h), and h, in pieces.
  for (std::size_t i = 0; i < numbers[0].words.size(); ++i) {
    numbers[0].words[i] -= (numbers[1].words[i] + numbers[2].words[i]) << (top - f);
  }
  PoolVector<Additive> sums;
  sums.push_back(std::move(numbers[0]));
  sums.push_back(std::move(numbers[2]));
  RingWidths rings{64, f};
  PoolVector<WordPieces> pieces = co_await replicate(party, keys, lead, std::move(sums), lanes, rings, label);
  co_return TruncationMasks{std::move(r), pieces[0] + shifted, std::move(pieces[1])};
}

}  // namespace sotto::protocols
