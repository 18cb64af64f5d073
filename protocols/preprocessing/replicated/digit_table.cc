#include "sotto/protocols/preprocessing/replicated/digit_table.h"

#include <array>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/boolean/packed_bits.h"
#include "sotto/protocols/io/deliver.h"
#include "sotto/protocols/preprocessing/recorded/bit_planes.h"

namespace sotto::protocols {
namespace {

// The numbers that planes of one piece hold, or of the XOR of two.
Words digits_of(const NumberPieces& digit, bool own, bool next) {
  Words planes;
  for (const BitPieces& plane : digit) {
    for (std::size_t i = 0; i < plane.own.size(); ++i) {
      planes.push_back((own ? plane.own[i] : 0) ^ (next ? plane.next[i] : 0));
    }
  }
  return numbers_of(planes, digit[0].lanes, static_cast<unsigned>(digit.size()));
}

// Exchanges each two blocks of `half` entries where `mask` is all ones.
template <std::size_t half>
void exchange_blocks(std::uint64_t* table, std::size_t size, std::uint64_t mask) {
  for (std::size_t block = 0; block < size; block += 2 * half) {
    std::uint64_t* low = table + block;
    for (std::size_t j = 0; j < half; ++j) {
      const std::uint64_t difference = (low[j] ^ low[j + half]) & mask;
      low[j] ^= difference;
      low[j + half] ^= difference;
    }
  }
}

constexpr std::array exchanges{
    exchange_blocks<1>,    exchange_blocks<2>,    exchange_blocks<4>,     exchange_blocks<8>,
    exchange_blocks<16>,   exchange_blocks<32>,   exchange_blocks<64>,    exchange_blocks<128>,
    exchange_blocks<256>,  exchange_blocks<512>,  exchange_blocks<1024>,  exchange_blocks<2048>,
    exchange_blocks<4096>, exchange_blocks<8192>, exchange_blocks<16384>, exchange_blocks<32768>};

// Entry j of each table goes to j ^ s.
void permute(Words& tables, const Words& s, unsigned digit_bits) {
  const std::size_t size = std::size_t{1} << digit_bits;
  for (std::size_t lane = 0; lane < s.size(); ++lane) {
    std::uint64_t* table = tables.data() + lane * size;
    for (unsigned b = 0; b < digit_bits; ++b) exchanges[b](table, size, std::uint64_t{0} - (s[lane] >> b & 1));
  }
}

}  // namespace

Task<Additive> digit_table(Party& party, PairKeys& keys, NodeId lead, NumberPieces digit, unsigned bits, Label label) {
  require_argument(!digit.empty() && digit.size() <= 16, "digits of 1 to 16 bits");
  for (const BitPieces& plane : digit) require_argument(plane.lanes == digit[0].lanes, "bits of as many lanes");
  const auto digit_bits = static_cast<unsigned>(digit.size());
  const std::size_t size = std::size_t{1} << digit_bits;
  const std::size_t entries = digit[0].lanes << digit_bits;
  const NodeId second = next_of(lead);
  Words from_key = keys.of_pair(lead, entries, bits);

  // 1. Lead sends the one-hot of its part of the digit, under K_lead, which second lacks.
  Words sent;
  if (keys.self() == lead) {
    const Words a = digits_of(digit, true, true);
    const std::uint64_t ring = ring_mask(bits);
    for (std::size_t lane = 0; lane < a.size(); ++lane) {
      std::uint64_t* const table = from_key.data() + lane * size;
      for (std::size_t j = 0; j < size; ++j) table[j] = (static_cast<std::uint64_t>(j == a[lane]) - table[j]) & ring;
    }
    sent = pack_bits(from_key, bits);
  }
  const Words received = co_await deliver(party, lead, second, std::move(sent), packed_words(entries, bits), label);

  // 2. Second and third move the entries by theirs.
  Additive result;
  if (keys.self() == second) {
    result.words = unpack_bits(received, entries, bits);
    permute(result.words, digits_of(digit, false, true), digit_bits);
  }
  if (keys.self() == previous_of(lead)) {
    result.words = std::move(from_key);
    permute(result.words, digits_of(digit, true, false), digit_bits);
  }
  co_return result;
}

}  // namespace sotto::protocols
