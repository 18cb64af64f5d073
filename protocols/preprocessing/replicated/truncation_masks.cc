#include "protocols/preprocessing/replicated/truncation_masks.h"

#include <array>
#include <cstddef>
#include <utility>

#include "core/wire/bit_pack.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "protocols/preprocessing/replicated/replicated_bits.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

// r = u + v, as in truncation_masks.h. The lead party has both keys that make the bits of u. The second and the third
// party each have one of these two keys, and the key that makes the bits of v.
enum class Place : std::uint8_t { lead, second, third, elsewhere };

Place place_of(const PairKeys& keys, NodeId lead) {
  if (!keys.self()) return Place::elsewhere;
  if (*keys.self() == lead) return Place::lead;
  return *keys.self() == next_of(lead) ? Place::second : Place::third;
}

struct Plane {
  Words own, next;
};

Plane plane_of(const WordPieces& planes, std::size_t number, std::size_t words) {
  return {slice(planes.own, number * words, words), slice(planes.next, number * words, words)};
}

void exclusive_or(Words& to, const Words& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= from[i];
}

// The state of a ripple adder, which computes c_(i+1) = c_i ^ (u_i ^ c_i)(v_i ^ c_i). `carry` has a party's pieces of
// c_(i-1). The messages `sent` and `received` of the last AND turn these pieces into pieces of c_i.
struct Adder {
  Plane carry;
  Words sent, received;
};

// Computes the carry of the last AND, then the party's term of the next AND. At the lead party, `own` and `next` are
// both pieces of u. At the second party, `own` is a piece of u, and `next` is v. At the third party, `own` is v, and
// `next` is a piece of u.
template <Place place>
void next_term(Adder& adder, const std::uint64_t* own, const std::uint64_t* next, const Words& zero) {
  for (std::size_t i = 0; i < zero.size(); ++i) {
    const std::uint64_t c = adder.carry.own[i] ^= adder.sent[i];
    const std::uint64_t d = adder.carry.next[i] ^= adder.received[i];
    std::uint64_t term = 0;
    if constexpr (place == Place::lead) term = ((own[i] ^ c) & (c ^ d)) ^ ((next[i] ^ d) & c);
    if constexpr (place == Place::second) term = ((own[i] ^ c) & (c ^ d ^ next[i])) ^ (d & c);
    if constexpr (place == Place::third) term = (c & (own[i] ^ c ^ d)) ^ ((next[i] ^ d) & (own[i] ^ c));
    adder.sent[i] = term ^ zero[i];
  }
}

void next_term(Place place, Adder& adder, const WordPieces& bits, std::size_t first, const Words& zero) {
  if (place == Place::elsewhere) return;
  const std::uint64_t* const own = bits.own.data() + first;
  const std::uint64_t* const next = bits.next.data() + first;
  if (place == Place::lead) return next_term<Place::lead>(adder, own, next, zero);
  if (place == Place::second) return next_term<Place::second>(adder, own, next, zero);
  next_term<Place::third>(adder, own, next, zero);
}

struct Carries {
  Plane at_f, at_top;
};

Task<Carries> two_carries(Party& party, PairKeys& keys, Place place, const WordPieces& bits, std::size_t words,
                          unsigned f, unsigned top, Label label) {
  const Words zeros(keys.self() ? words : 0, 0);
  Adder adder{{zeros, zeros}, zeros, zeros};
  Carries result;
  for (unsigned i = 0; i < top; ++i) {
    const Words zero = keys.zero(words, 64, Group::exclusive_or);
    next_term(place, adder, bits, i * words, zero);
    if (i == f) result.at_f = adder.carry;
    // Party j masks its message by F(K_(j+1)), which party j - 1 lacks.
    adder.received = co_await pass_back(party, adder.sent, words, label);
  }
  exclusive_or(adder.carry.own, adder.sent);
  exclusive_or(adder.carry.next, adder.received);
  result.at_top = std::move(adder.carry);
  co_return result;
}

// c_f, c_top and h, each in its own ring.
constexpr std::size_t revealed_bits = 3;
using BitNumbers = std::array<Words, revealed_bits>;

struct BitRings {
  std::array<unsigned, revealed_bits> widths;
  [[nodiscard]] std::size_t parcel_words(std::size_t lanes) const {
    std::size_t words = 0;
    for (const unsigned width : widths) words += packed_words(lanes, width);
    return words;
  }
};

using TruncationBits = std::array<Plane, revealed_bits>;

// At the lead party: `words` are words of its key. Replaces each word by a bit minus the word, and returns these
// differences, packed for the message to the second party.
Words sent_bits(const TruncationBits& bits, BitNumbers& words, std::size_t lanes, const BitRings& rings) {
  Words parcel(rings.parcel_words(lanes), 0);
  std::size_t at = 0;
  for (std::size_t b = 0; b < revealed_bits; ++b) {
    Words plane = bits[b].own;
    exclusive_or(plane, bits[b].next);
    const std::uint64_t ring = ring_mask(rings.widths[b]);
    for_each_tile(lanes, [&, b](const LaneTile& tile) {
      TileBits v;
      bits_of_tile(v, plane, tile);
      std::uint64_t* const of_tile = words[b].data() + tile.first_lane;
      for (std::size_t i = 0; i < tile.lanes; ++i) of_tile[i] = (v[i] - of_tile[i]) & ring;
    });
    pack(words[b], rings.widths[b], reinterpret_cast<std::byte*>(parcel.data() + at));
    at += packed_words(lanes, rings.widths[b]);
  }
  return parcel;
}

BitNumbers heard_bits(const Words& parcel, std::size_t lanes, const BitRings& rings) {
  BitNumbers numbers;
  std::size_t at = 0;
  for (std::size_t b = 0; b < revealed_bits; ++b) {
    numbers[b].resize(lanes);
    unpack(reinterpret_cast<const std::byte*>(parcel.data() + at), rings.widths[b], numbers[b]);
    at += packed_words(lanes, rings.widths[b]);
  }
  return numbers;
}

// Additive shares. If r has no words, the share of r is zeros.
struct Shares {
  Words r, mu, h;
};

// (1 - 2 s) v for a bit s.
std::uint64_t turned(std::uint64_t v, std::uint64_t s) { return (v ^ (std::uint64_t{0} - s)) + s; }

// The second and the third party compute mu's part c_f - 2^rise (c_top + h), and h in Z/2^f. `known` are the bits s
// that both parties know. This party adds `constant` times each s.
void join_numbers(BitNumbers& numbers, const TruncationBits& bits, Words Plane::*known, std::size_t lanes, unsigned f,
                  unsigned rise, std::uint64_t constant) {
  const std::uint64_t ring = ring_mask(f);
  for_each_tile(lanes, [&](const LaneTile& tile) {
    std::array<TileBits, revealed_bits> s;
    for (std::size_t b = 0; b < revealed_bits; ++b) bits_of_tile(s[b], bits[b].*known, tile);
    std::uint64_t* const at_f = numbers[0].data() + tile.first_lane;
    const std::uint64_t* const at_top = numbers[1].data() + tile.first_lane;
    std::uint64_t* const at_h = numbers[2].data() + tile.first_lane;
    for (std::size_t i = 0; i < tile.lanes; ++i) {
      const std::uint64_t top = turned(at_top[i], s[1][i]) + constant * s[1][i];
      const std::uint64_t h = turned(at_h[i], s[2][i]) + constant * s[2][i];
      at_f[i] = turned(at_f[i], s[0][i]) + constant * s[0][i] - ((top + h) << rise);
      at_h[i] = h & ring;
    }
  });
}

void add_shifted(Words& to, const Words& number, unsigned f, unsigned top) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += (number[i] & ring_mask(top)) >> f;
}

Task<Shares> shares_of_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes, unsigned f, unsigned width,
                             Label label) {
  const Place place = place_of(keys, lead);
  const std::size_t words = plane_words(lanes);
  const unsigned top = width - 1;

  // The carries of u + v into bit f and into the top bit, and the top bit of the sum.
  const WordPieces drawn = keys.uniform(width * words, 64);
  Carries c = co_await two_carries(party, keys, place, drawn, words, f, top, label);
  Plane h = plane_of(drawn, top, words);
  exclusive_or(h.own, c.at_top.own);
  exclusive_or(h.next, c.at_top.next);
  const TruncationBits bits{std::move(c.at_f), std::move(c.at_top), std::move(h)};

  // A number times 2^(top - f) needs only 64 - (top - f) bits. The parcel is masked by K_lead, which the second party
  // lacks.
  const BitRings rings{{64, 64 - (top - f), 64 - (top - f)}};
  BitNumbers numbers;
  for (std::size_t b = 0; b < revealed_bits; ++b) numbers[b] = keys.of_pair(lead, lanes, rings.widths[b]);
  Words sent_words;
  if (place == Place::lead) sent_words = sent_bits(bits, numbers, lanes, rings);
  const Words received =
      co_await deliver(party, lead, next_of(lead), std::move(sent_words), rings.parcel_words(lanes), label);

  // The share of r is u at the lead party and v at the third party.
  Shares shares;
  if (place == Place::lead) {
    shares.r = numbers_of_tiles(drawn.own, drawn.next, lanes, width);
    shares.mu.assign(lanes, 0);
  } else if (place == Place::second) {
    numbers = heard_bits(received, lanes, rings);
    join_numbers(numbers, bits, &Plane::next, lanes, f, top - f, 1);
  } else if (place == Place::third) {
    shares.r = numbers_of_tiles(drawn.own, {}, lanes, width);
    join_numbers(numbers, bits, &Plane::own, lanes, f, top - f, 0);
  }
  if (place == Place::second || place == Place::third) {
    shares.mu = std::move(numbers[0]);
    shares.h = std::move(numbers[2]);
  }
  if (!shares.r.empty()) add_shifted(shares.mu, shares.r, f, top);
  co_return shares;
}

Task<WordPieces> reshared(Party& party, PairKeys& keys, Words share, std::size_t lanes, Label label) {
  const Words zero = keys.zero(lanes, 64, Group::sum);
  for (std::size_t i = 0; i < share.size(); ++i) share[i] += zero[i];
  // Party j masks its message by F(K_(j+1)), which party j - 1 lacks.
  Words next = co_await pass_back(party, share, lanes, label);
  co_return WordPieces{lanes, 64, std::move(share), std::move(next)};
}

using Rows = std::array<std::array<std::uint64_t, LaneTile::most_words>, 64>;

// Transposes the bits: bit i of row k becomes bit k of row i. [Warren, Hacker's Delight, 7-3]
void turn(Rows& rows) {
  std::uint64_t low = 0x00000000ffffffffu;
  for (unsigned half = 32; half != 0; half >>= 1, low ^= low << half) {
    for (unsigned k = 0; k < 64; k = ((k | half) + 1) & ~half) {
      for (std::size_t column = 0; column < LaneTile::most_words; ++column) {
        std::uint64_t& upper = rows[k][column];
        std::uint64_t& lower = rows[k | half][column];
        const std::uint64_t difference = ((upper >> half) ^ lower) & low;
        upper ^= difference << half;
        lower ^= difference;
      }
    }
  }
}

template <class PerRow>
void for_each_row(std::size_t words, PerRow&& per_row) {
  for (std::size_t k = 0; k < 64; ++k) {
    if (words == LaneTile::most_words) {
      per_row(k, LaneTile::most_words);
    } else {
      per_row(k, words);
    }
  }
}

}  // namespace

Task<TruncationMasks> truncation_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes, unsigned f,
                                       unsigned width, Label label) {
  require_argument(width >= 3 && width <= 64 && f >= 1 && f <= width - 2,
                   "a truncation in a ring of 3 to 64 bits by 1 bit to 2 fewer than those");
  Shares shares = co_await shares_of_masks(party, keys, lead, lanes, f, width, label);
  PoolVector<Additive> of_h(1);
  of_h[0].words = std::move(shares.h);
  RingWidths ring{f};
  auto [mu, h] = co_await when_all(reshared(party, keys, std::move(shares.mu), lanes, label),
                                   replicate(party, keys, lead, std::move(of_h), lanes, std::move(ring), label));
  WordPieces r{lanes, width, std::move(shares.r), {}};
  co_return TruncationMasks{std::move(r), std::move(mu), std::move(h[0])};
}

void bits_of_tile(TileBits& bits, const Words& plane, const LaneTile& tile) {
  const std::uint64_t* const words = plane.data() + tile.first_word;
  for_each_row(tile.words, [&](std::size_t k, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bits[k * count + i] = words[i] >> k & 1;
  });
}

Words numbers_of_tiles(const Words& a, const Words& b, std::size_t lanes, unsigned width) {
  const std::size_t words = plane_words(lanes);
  Words numbers(lanes);
  for_each_tile(lanes, [&](const LaneTile& tile) {
    Rows rows{};
    for (unsigned p = 0; p < width; ++p) {
      const std::size_t at = p * words + tile.first_word;
      for (std::size_t i = 0; i < tile.words; ++i) rows[p][i] = b.empty() ? a[at + i] : a[at + i] ^ b[at + i];
    }
    turn(rows);
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t first = k * tile.words;
      if (first >= tile.lanes) break;
      std::copy_n(rows[k].begin(), std::min(tile.words, tile.lanes - first),
                  numbers.begin() + static_cast<std::ptrdiff_t>(tile.first_lane + first));
    }
  });
  return numbers;
}

}  // namespace sotto::protocols
