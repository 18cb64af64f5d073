#include "protocols/preprocessing/replicated/replicated_bits.h"

#include <algorithm>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {

Task<BitPieces> and_bits(Party& party, PairKeys& keys, BitPieces x, BitPieces y, Label label) {
  const std::size_t words = plane_words(x.lanes);
  BitPieces result{x.lanes, local_and(x, y), {}};
  const Words zero = keys.zero(words, 64, Group::exclusive_or);
  for (std::size_t i = 0; i < result.own.size(); ++i) result.own[i] ^= zero[i];
  // The words are masked by F(K_(i+1)), which party i - 1 lacks.
  result.next = co_await pass_back(party, result.own, words, label);
  co_return result;
}

Task<Words> open_bits(Party& party, BitPieces bits, Label label) {
  // The piece is sent in clear: the receiver can compute the piece from the opened bits anyway.
  Words opened = co_await pass_on(party, bits.own, plane_words(bits.lanes), label);
  for (std::size_t i = 0; i < opened.size(); ++i) opened[i] ^= bits.own[i] ^ bits.next[i];
  co_return opened;
}

BitPieces complement(const PairKeys& keys, BitPieces bits) {
  if (!keys.self()) return bits;
  if (*keys.self() == 0) {
    for (std::uint64_t& word : bits.own) word = ~word;
  } else if (next_of(*keys.self()) == 0) {
    for (std::uint64_t& word : bits.next) word = ~word;
  }
  return bits;
}

namespace {

// A parcel has values of several rings in one message, each packed by the width of its ring.
std::size_t parcel_words(const RingWidths& widths, std::size_t lanes) {
  std::size_t words = 0;
  for (const unsigned width : widths) words += packed_words(lanes, width);
  return words;
}

void put(Words& parcel, const Words& values, unsigned width) {
  const Words packed = pack_bits(values, width);
  parcel.insert(parcel.end(), packed.begin(), packed.end());
}

Words take(const Words& parcel, std::size_t& at, std::size_t lanes, unsigned width) {
  const std::size_t first = at;
  at += packed_words(lanes, width);
  return unpack_bits(slice(parcel, first, at - first), lanes, width);
}

void subtract(Words& from, const Words& other, unsigned width) {
  const std::uint64_t ring = ring_mask(width);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = (from[i] - other[i]) & ring;
}

// v[i] becomes change(v[i], bit i of the plane) mod 2^width.
template <class Change>
void change_by_bits(Words& v, const Words& plane, unsigned width, Change change) {
  const std::uint64_t ring = ring_mask(width);
  for (std::size_t first = 0; first < v.size(); first += 64) {
    const std::size_t end = std::min<std::size_t>(first + 64, v.size());
    std::uint64_t bits = plane[first / 64];
    for (std::size_t i = first; i < end; ++i, bits >>= 1) v[i] = change(v[i], bits & 1) & ring;
  }
}

std::uint64_t signed_by(std::uint64_t v, std::uint64_t bit) { return (v ^ (0 - bit)) + bit; }

}  // namespace

Task<PoolVector<Additive>> bits_as_shares(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                          RingWidths widths, Label label) {
  require_argument(!bits.empty() && bits.size() == widths.size(), "a ring for each bit that becomes a number");
  const std::size_t lanes = bits[0].lanes;
  for (const BitPieces& plane : bits) require_argument(plane.lanes == lanes, "bits of as many lanes");
  const NodeId second = next_of(lead);
  const NodeId third = previous_of(lead);

  // The lead party sends v1 = v - v0, masked by K_lead, which the second party lacks.
  PoolVector<Words> from_key;
  Words parcel;
  for (std::size_t b = 0; b < bits.size(); ++b) {
    from_key.push_back(keys.of_pair(lead, lanes, widths[b]));
    if (keys.self() != lead) continue;
    const BitPieces& plane = bits[b];
    Words both(plane.own.size());
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = plane.own[i] ^ plane.next[i];
    change_by_bits(from_key[b], both, widths[b], [](std::uint64_t key, std::uint64_t bit) { return bit - key; });
    put(parcel, from_key[b], widths[b]);
  }
  parcel = co_await deliver(party, lead, second, std::move(parcel), parcel_words(widths, lanes), label);

  PoolVector<Additive> result(bits.size());
  std::size_t at = 0;
  for (std::size_t b = 0; b < bits.size(); ++b) {
    if (keys.self() == lead) result[b].words.assign(lanes, 0);
    if (keys.self() == second) {
      result[b].words = take(parcel, at, lanes, widths[b]);
      change_by_bits(result[b].words, bits[b].next, widths[b],
                     [](std::uint64_t v, std::uint64_t s) { return signed_by(v, s) + s; });
    }
    if (keys.self() == third) {
      result[b].words = std::move(from_key[b]);
      change_by_bits(result[b].words, bits[b].own, widths[b], signed_by);
    }
  }
  co_return result;
}

Task<PoolVector<WordPieces>> replicate(Party& party, PairKeys& keys, NodeId lead, PoolVector<Additive> shares,
                                       std::size_t lanes, RingWidths widths, Label label) {
  require_argument(shares.size() == widths.size(), "a ring for each value to be replicated");
  const NodeId second = next_of(lead);
  const NodeId third = previous_of(lead);

  // The second party sends its half masked by K_second, which the third party lacks, and the third party its half
  // masked by K_lead.
  PoolVector<WordPieces> result;
  Words mine;
  for (std::size_t v = 0; v < shares.size(); ++v) {
    const Words y_lead = keys.of_pair(lead, lanes, widths[v]);
    const Words y_second = keys.of_pair(second, lanes, widths[v]);
    Words& half = shares[v].words;
    subtract(half, keys.self() == second ? y_second : y_lead, widths[v]);
    if (keys.self() == second || keys.self() == third) put(mine, half, widths[v]);
    if (keys.self() == lead) result.push_back(WordPieces{lanes, widths[v], y_lead, y_second});
    if (keys.self() == second) result.push_back(WordPieces{lanes, widths[v], y_second, {}});
    if (keys.self() == third) result.push_back(WordPieces{lanes, widths[v], {}, y_lead});
    if (!keys.self()) result.push_back(WordPieces{lanes, widths[v], {}, {}});
  }
  const std::size_t words = parcel_words(widths, lanes);
  Words from_second = keys.self() == second ? mine : Words{};
  Words from_third = keys.self() == third ? std::move(mine) : Words{};
  auto [at_third, at_second] = co_await when_all(deliver(party, second, third, std::move(from_second), words, label),
                                                 deliver(party, third, second, std::move(from_third), words, label));

  const Words& other = keys.self() == second ? at_second : at_third;
  std::size_t at = 0;
  for (std::size_t v = 0; v < result.size() && !other.empty(); ++v) {
    Words piece = take(other, at, lanes, widths[v]);
    const std::uint64_t ring = ring_mask(widths[v]);
    for (std::size_t i = 0; i < lanes; ++i) piece[i] = (piece[i] + shares[v].words[i]) & ring;
    (keys.self() == second ? result[v].next : result[v].own) = std::move(piece);
  }
  co_return result;
}

Task<PoolVector<WordPieces>> bits_as_numbers(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                             RingWidths widths, Label label) {
  const std::size_t lanes = bits.empty() ? 0 : bits[0].lanes;
  PoolVector<Additive> shares = co_await bits_as_shares(party, keys, lead, std::move(bits), widths, label);
  co_return co_await replicate(party, keys, lead, std::move(shares), lanes, widths, label);
}

namespace {

Words lead_summand(const WordPieces& number) {
  Words u = number.own;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = (u[i] + number.next[i]) & ring_mask(number.bits);
  return u;
}

}  // namespace

Task<SummandBits> summand_bits(Party& party, PairKeys& keys, NodeId lead, WordPieces number, Label label) {
  const NodeId second = next_of(lead);
  const std::size_t planes = plane_words(number.lanes) * number.bits;
  Words from_key = keys.of_pair(lead, planes, 64);
  Words corrected;
  if (keys.self() == lead) {
    corrected = planes_of(lead_summand(number), number.bits);
    for (std::size_t i = 0; i < planes; ++i) corrected[i] ^= from_key[i];
  }
  Words sent_words = corrected;
  Words received = co_await deliver(party, lead, second, std::move(sent_words), planes, label);

  // At the lead party, the own piece of u is a word of the key. At the second party, the own piece of u is the
  // correction. Only the third party has an own piece of v.
  BitPieces u = keys.zero_bits(64 * planes);
  BitPieces v = u;
  if (keys.self() == lead) {
    u.own = std::move(from_key);
    u.next = std::move(corrected);
  } else if (keys.self() == second) {
    u.own = std::move(received);
    v.next = planes_of(number.next, number.bits);
  } else if (keys.self()) {
    u.next = std::move(from_key);
    v.own = planes_of(number.own, number.bits);
  }
  co_return SummandBits{separated(u, number.bits, number.lanes), separated(v, number.bits, number.lanes)};
}

Task<NumberPieces> bits_of(Party& party, PairKeys& keys, NodeId lead, WordPieces number, BitPieces carry, Label label) {
  const unsigned bits = number.bits;
  const SummandBits s = co_await summand_bits(party, keys, lead, std::move(number), label);
  NumberPieces sum = co_await carries(party, keys, s.u, s.v, std::move(carry), bits - 1, label);
  for (unsigned b = 0; b < bits; ++b) sum[b] = std::move(sum[b]) ^ s.u[b] ^ s.v[b];
  co_return sum;
}

}  // namespace sotto::protocols
