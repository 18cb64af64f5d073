#include "sotto/protocol/preprocessing/dealt.h"

#include "core/ring/kernels.h"

namespace sotto::protocols {

Mask Dealt::mask(std::size_t lanes, unsigned bits) {
  begin(Request::mask, lanes);
  return Mask{uniform(lanes, bits, Group::sum)};
}

Mask Dealt::mask_of_zeros(std::size_t lanes) const {
  return Mask{side_ == Side::elsewhere ? Words{} : Words(lanes, 0)};
}

InputMask Dealt::input_mask(NodeId owner, std::size_t lanes) {
  begin(Request::input_mask, lanes);
  InputMask result{uniform_known_to(owner, lanes, 64), {}};
  const Words& known = result.known;
  if (!ledger_.topology().is_party(owner)) {
    result.mask.words =
        deal(lanes, 64, [&](std::span<std::uint64_t> out) { std::copy(known.begin(), known.end(), out.begin()); });
  } else if (side_ == Side::party && known.empty()) {
    result.mask.words.assign(lanes, 0);
  } else {
    result.mask.words = known;
  }
  return result;
}

IndexMask Dealt::add_index_mask(Words& to, std::size_t lanes, unsigned bits) {
  begin(Request::index_mask, lanes);
  if (at_dealer()) return IndexMask{uniform(lanes, bits, Group::sum)};
  add_uniform(to, lanes, bits);
  return {};
}

Additive Dealt::zero(std::size_t lanes, unsigned bits, Group group) {
  begin(Request::zero, lanes);
  const auto zeros = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 0); };
  return Additive{deal(lanes, bits, zeros, group)};
}

// The whole term is kept back: the dealer has it, and the parties' sum stays as it is.
void Dealt::product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned, Words& sum) {
  if (counts_) count_request(Request::product, map.pairs());
  if (!at_dealer()) return;
  sum.assign(map.out.lanes(), 0);
  map.add_product(sum.data(), x.words.data(), y.words.data());
}

void Dealt::materialize(Words& sum, std::size_t lanes) {
  begin(Request::materialize, lanes);
  if (!at_dealer()) return add_dealt(sum, lanes);
  sum.resize(lanes, 0);
  sum = distribute(std::move(sum), lanes, 64, Group::sum);
}

Additive Dealt::cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g, const Mask& other) {
  const std::size_t pairs = map.pairs();
  begin(Request::cut, pairs);
  return Additive{deal(pairs, shift, [&](std::span<std::uint64_t> out) {
    Words h(g.words.size());
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = g.words[i] >> (64 - shift);
    if (side == Operand::left) {
      map.pair_products(out.data(), h.data(), other.words.data());
    } else {
      map.pair_products(out.data(), other.words.data(), h.data());
    }
  })};
}

Additive Dealt::bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) {
  begin(Request::bit_product, map.pairs());
  return Additive{deal(map.pairs(), 64, [&](std::span<std::uint64_t> out) {
    Words bits = b.words;
    for (std::uint64_t& word : bits) word &= 1;
    map.pair_products(out.data(), bits.data(), y.words.data());
  })};
}

// At the dealer c was kept back, and z - c + t is opened: the pad is r = t - c.
TruncationPair Dealt::truncation(Words& padded, std::size_t lanes, unsigned f) {
  begin(Request::truncation, lanes);
  if (at_dealer()) {
    padded.resize(lanes, 0);
    for (std::uint64_t& word : padded) word = std::uint64_t{0} - word;
  }
  add_uniform(padded, lanes, 64);
  TruncationPair result;
  Words top(at_dealer() ? lanes : 0);
  result.mu.words = deal(lanes, 64, [&](std::span<std::uint64_t> mu) {
    kernels().truncation_mask(mu.data(), top.data(), padded.data(), f, lanes);
  });
  Words h = distribute(std::move(top), lanes, f, Group::sum);
  if (!at_dealer()) {
    result.h.words = std::move(h);
    return result;
  }
  for (std::uint64_t& g : h) g <<= 64 - f;
  result.g.words = std::move(h);
  return result;
}

Triples Dealt::triples(std::size_t lanes, unsigned bits, Group group) {
  begin(Request::triples, lanes);
  Triples result;
  result.a.words = uniform(lanes, bits, group);
  result.b.words = uniform(lanes, bits, group);
  const Words& a = result.a.words;
  const Words& b = result.b.words;
  const auto multiply = [&](std::span<std::uint64_t> c) {
    for (std::size_t i = 0; i < lanes; ++i) c[i] = group == Group::sum ? a[i] * b[i] : a[i] & b[i];
  };
  result.c.words = deal(lanes, bits, multiply, group);
  return result;
}

BitMask Dealt::random_bits(std::size_t lanes, unsigned width) {
  begin(Request::random_bits, lanes);
  return BitMask{uniform(lanes, width, Group::exclusive_or)};
}

Additive Dealt::bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count, unsigned bit,
                                unsigned ring_bits) {
  begin(Request::bits_as_numbers, count);
  return Additive{deal(count, ring_bits, [&](std::span<std::uint64_t> out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = (bits.words[first + i] >> bit) & 1;
  })};
}

}  // namespace sotto::protocols
