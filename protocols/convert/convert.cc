#include "sotto/protocol/convert/convert.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/protocol/boolean/adder.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

std::vector<Bool> shares_as_inputs(const Party& party, const Arith& value) {
  std::vector<Bool> inputs;
  for (NodeId owner = 0; owner < party.topology().parties(); ++owner) {
    Words words;
    if (party.is(owner)) {
      words = ShareAccess::words(value);
    } else if (party.holds_shares()) {
      words.assign(value.lanes(), 0);
    }
    inputs.push_back(Bool(value.shape(), value.bits(), std::move(words)));
  }
  return inputs;
}

// A multiple of 8, so that tiles fill whole bytes of the chunk.
constexpr std::size_t tile_lanes = 512;

void add_bit(const Words& r, std::span<const std::uint64_t> opened, unsigned bit, bool first,
             std::span<std::uint64_t> sum) {
  // Let r be a party's share of a bit. Then the party's share of the flipped bit is 1 - r = ~r + 2 at party 0, else -r
  // = ~r + 1.
  const std::uint64_t carry = first ? 2 : 1;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const std::uint64_t flip = std::uint64_t{0} - ((opened[i] >> bit) & 1);
    sum[i] += ((r[i] ^ flip) + (carry & flip)) << bit;
  }
}

Arith combine(Party& party, const Bool& value, unsigned ring_bits, const Words& opened, const BitMask& r) {
  const std::size_t lanes = value.lanes();
  Words sum(opened.size(), 0);
  for (std::size_t begin = 0; begin < lanes; begin += tile_lanes) {
    const std::size_t count = std::min(tile_lanes, lanes - begin);
    for (unsigned bit = 0; bit < value.width(); ++bit) {
      const Additive r_bits = party.preprocessing().bits_as_numbers(r, begin, count, bit, ring_bits - bit);
      if (sum.empty()) continue;
      add_bit(r_bits.words, std::span(opened).subspan(begin, count), bit, party.adds_constants(),
              std::span(sum).subspan(begin, count));
    }
  }
  const std::uint64_t ring = ring_mask(ring_bits);
  for (std::uint64_t& word : sum) word &= ring;
  return Arith(value.shape(), 0, std::move(sum), ring_bits);
}

}  // namespace

Task<Bool> arith_to_bool(Party& party, Arith value, Label label) {
  const auto summands = co_await carry_save(party, shares_as_inputs(party, value), label);
  co_return co_await add(party, summands.first, summands.second, label);
}

Task<Bool> sign_of(Party& party, Arith value, Label label) {
  const auto summands = co_await carry_save(party, shares_as_inputs(party, value), label);
  co_return co_await top_bit_of_sum(party, summands.first, summands.second, label);
}

Task<Arith> bool_to_arith(Party& party, Bool value, unsigned ring_bits, Label label) {
  if (ring_bits < 1 || ring_bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  const Bool kept = value.low(std::min(value.width(), ring_bits));
  const std::size_t lanes = kept.lanes();
  const unsigned width = kept.width();
  const BitMask r = party.preprocessing().random_bits(lanes, width);

  Words masked = ShareAccess::words(kept);
  for (std::size_t i = 0; i < masked.size(); ++i) masked[i] ^= r.words[i];
  const Words opened = co_await OpenPacked(party, masked, lanes, width, label);

  co_return combine(party, kept, ring_bits, opened, r);
}

}  // namespace sotto::protocols
