#include "protocols/preprocessing/replicated/digit_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

Words digits_of(const NumberPieces& digit, bool own, bool next) {
  Words planes;
  for (const BitPieces& plane : digit) {
    for (std::size_t i = 0; i < plane.own.size(); ++i) {
      planes.push_back((own ? plane.own[i] : 0) ^ (next ? plane.next[i] : 0));
    }
  }
  return numbers_of(planes, digit[0].lanes, static_cast<unsigned>(digit.size()));
}

// Replaces each table by the difference (one-hot of the lane's `a`) - table.
template <class Entry>
void take_from_hot(Entry* table, std::size_t size, std::uint64_t a, Entry ring) {
  for (std::size_t block = 0; block < size; block += 256) {
    const Entry here = a >> 8 == block >> 8 ? 1 : 0;
    const auto low = static_cast<Entry>(a & 0xFF);
    const std::size_t count = std::min<std::size_t>(256, size - block);
    for (std::size_t j = 0; j < count; ++j) {
      const auto hot = static_cast<Entry>(static_cast<Entry>(j) == low) & here;
      table[block + j] = static_cast<Entry>(hot - table[block + j]) & ring;
    }
  }
}

// Exchanges neighbouring blocks of `half` entries in the table of each lane whose s has bit b set.
template <std::size_t half, class Entry>
void exchange_blocks(Entry* table, std::size_t size, const Words& s, unsigned b) {
  for (const std::uint64_t of_table : s) {
    const auto mask = static_cast<Entry>(std::uint64_t{0} - (of_table >> b & 1));
    for (std::size_t block = 0; block < size; block += 2 * half, table += 2 * half) {
      for (std::size_t j = 0; j < half; ++j) {
        const auto difference = static_cast<Entry>((table[j] ^ table[j + half]) & mask);
        table[j] ^= difference;
        table[j + half] ^= difference;
      }
    }
  }
}

template <std::size_t half>
void exchange_in_words(std::uint64_t* word, std::size_t words, const Words& s, unsigned b) {
  constexpr unsigned shift = 8 * half;
  constexpr std::uint64_t low = half == 4 ? 0xFFFFFFFFU : half == 2 ? 0x0000FFFF0000FFFFU : 0x00FF00FF00FF00FFU;
  for (const std::uint64_t of_table : s) {
    const std::uint64_t mask = low & (std::uint64_t{0} - (of_table >> b & 1));
    for (std::size_t i = 0; i < words; ++i, ++word) {
      const std::uint64_t difference = (*word ^ *word >> shift) & mask;
      *word ^= difference | difference << shift;
    }
  }
}

template <class Entry>
constexpr std::array exchanges{
    exchange_blocks<1, Entry>,    exchange_blocks<2, Entry>,    exchange_blocks<4, Entry>,
    exchange_blocks<8, Entry>,    exchange_blocks<16, Entry>,   exchange_blocks<32, Entry>,
    exchange_blocks<64, Entry>,   exchange_blocks<128, Entry>,  exchange_blocks<256, Entry>,
    exchange_blocks<512, Entry>,  exchange_blocks<1024, Entry>, exchange_blocks<2048, Entry>,
    exchange_blocks<4096, Entry>, exchange_blocks<8192, Entry>, exchange_blocks<16384, Entry>,
    exchange_blocks<32768, Entry>};

constexpr std::array word_exchanges{exchange_in_words<1>, exchange_in_words<2>, exchange_in_words<4>};

void permute(TableShares& tables, const Words& s, unsigned digit_bits) {
  const std::size_t size = std::size_t{1} << digit_bits;
  const bool whole_words = lie_in_bytes(tables.bits) && size >= 8;
  with_entries(tables, [&]<class Entry>(Entry* entries) {
    for (unsigned b = 0; b < digit_bits; ++b) {
      if (whole_words && b < word_exchanges.size()) {
        word_exchanges[b](tables.words.data(), size / 8, s, b);
      } else {
        exchanges<Entry>[b](entries, size, s, b);
      }
    }
  });
}

}  // namespace

Task<TableShares> digit_table(Party& party, PairKeys& keys, NodeId lead, NumberPieces digit, unsigned bits,
                              Label label) {
  require_argument(!digit.empty() && digit.size() <= 16, "digits of 1 to 16 bits");
  for (const BitPieces& plane : digit) require_argument(plane.lanes == digit[0].lanes, "bits of as many lanes");
  const auto digit_bits = static_cast<unsigned>(digit.size());
  const std::size_t size = std::size_t{1} << digit_bits;
  const std::size_t entries = digit[0].lanes << digit_bits;
  const NodeId second = next_of(lead);
  // Entries in bytes are drawn as whole words: each byte of the stream is one entry.
  TableShares from_key{bits, keys.of_pair(lead, entry_words(entries, bits), lie_in_bytes(bits) ? 64 : bits)};

  // 1. The lead party sends the one-hot of its part of the digit, masked by K_lead, which the second party lacks.
  Words sent;
  if (keys.self() == lead) {
    const Words a = digits_of(digit, true, true);
    with_entries(from_key, [&]<class Entry>(Entry* tables) {
      const auto ring = static_cast<Entry>(ring_mask(bits));
      for (std::size_t lane = 0; lane < a.size(); ++lane) take_from_hot(tables + lane * size, size, a[lane], ring);
    });
    sent = packed(from_key, entries);
  }
  const Words received = co_await deliver(party, lead, second, std::move(sent), packed_words(entries, bits), label);

  TableShares result{bits, {}};
  if (keys.self() == second) {
    result = unpacked(received, entries, bits);
    permute(result, digits_of(digit, false, true), digit_bits);
  }
  if (keys.self() == previous_of(lead)) {
    result = std::move(from_key);
    permute(result, digits_of(digit, true, false), digit_bits);
  }
  co_return result;
}

}  // namespace sotto::protocols
