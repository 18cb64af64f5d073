#include "sotto/protocol/preprocessing/dealt.h"

#include <numeric>
#include <span>
#include <type_traits>

#include "core/ring/kernels.h"
#include "core/wire/bit_pack.h"
#include "protocols/preprocessing/digit_tables.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"

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

// The time to write the tables does not depend on the masks and the dealer's samples.

namespace {

template <class Entry>
void write_entry(Entry& entry, std::uint64_t word) {
  entry = static_cast<Entry>(word);
}

}  // namespace

void Dealt::digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) {
  begin(Request::digit_tables, tables.lanes);
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::uint64_t m = (x.words[lane] >> tables.low) & (tables.size() - 1);
    if (lowest) {
      write_borrows(out, tables.size(), m);
    } else {
      write_signs(out, tables.size(), m);
    }
  });
}

void Dealt::borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                          std::span<std::uint64_t> sum) {
  begin(Request::borrow_tables, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::uint64_t tops = ((x.words[lane] >> top) ^ (m.words[lane] >> tables.index_bits)) & 1;
    const std::uint64_t low = m.words[lane] & (size - 1);
    for (std::size_t d = 0; d < size; ++d) write_entry(out[d], tops ^ static_cast<std::uint64_t>(d < low));
  });
}

// All entries are written in the same way, so that the time does not reveal whether the event explores.
void Dealt::winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups,
                          const Samples& samples, std::span<std::uint64_t> sum) {
  begin(Request::winner_tables, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::size_t column = lane % groups.columns;
    const std::size_t group = lane / groups.columns;
    const std::size_t members = groups.members(group);
    const std::size_t event = groups.event_of(group);
    const std::uint64_t explore = samples.explore.empty() ? 0 : samples.explore[event];
    const std::uint64_t forced =
        samples.arms.empty() ? 0 : explore & static_cast<std::uint64_t>(samples.arms[event] == column);
    const std::uint64_t member = column < members ? 1 - explore : 0;
    const std::uint64_t hit = (wins.words[lane] + members - 1) & (size - 1);
    for (std::size_t d = 0; d < size; ++d) {
      write_entry(out[d], forced | (member & static_cast<std::uint64_t>(d == hit)));
    }
  });
}

void Dealt::table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) {
  begin(Request::table, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    for (std::size_t d = 0; d < size; ++d) write_entry(out[d], f(lane, (d - m.words[lane]) & (size - 1)));
  });
}

Samples Dealt::samples(std::size_t events, std::size_t arms, Exploration exploration) {
  begin(Request::samples, events * arms);
  Samples samples;
  if (!at_dealer()) return samples;
  Prg& coins = this->coins();
  samples.ranks.resize(events * arms);
  for (std::size_t event = 0; event < events; ++event) {
    const auto ranks = std::span(samples.ranks).subspan(event * arms, arms);
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    for (std::size_t i = arms; i > 1; --i) std::swap(ranks[i - 1], ranks[coins.below(i)]);
    const bool below = coins.next() < exploration.threshold;
    samples.explore.push_back(exploration.always || below ? 1 : 0);
    samples.arms.push_back(coins.below(arms));
  }
  return samples;
}

Additive Dealt::explored_places(std::size_t events, std::size_t arms, const Samples& samples) {
  const std::size_t places = arms * (arms + 1) / 2;
  begin(Request::explored_places, events * places);
  return Additive{deal(events * places, 8, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t event = 0; event < events; ++event) {
      for (std::size_t m = 1; m <= arms; out = out.subspan(m++)) out[coins().below(m)] = samples.explore[event];
    }
  })};
}

IndexMask Dealt::pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups, const Samples& samples) {
  const std::size_t pairs = groups.pairs();
  begin(Request::pair_masks, pairs);
  IndexMask result;
  if (!at_dealer()) return result;
  result.words.resize(pairs);
  const std::uint64_t ring = ring_mask(bits);
  const std::size_t places = groups.an_event() * groups.columns;
  const bool dense = places == groups.candidates;
  const auto rank = [&](std::size_t lane) {
    return samples.ranks[dense ? lane : lane / places * groups.candidates + lane % places];
  };
  const bool ranked = !samples.ranks.empty();
  groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
    const auto j_wins_ties = static_cast<std::uint64_t>(ranked && rank(i) < rank(j));
    result.words[pair] = (m.words[i] - m.words[j] + j_wins_ties) & ring;
  });
  return result;
}

Mask Dealt::ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths, const ValueGroups& groups) {
  begin(Request::ranked_mask, groups.shape().lanes());
  return Mask{deal(groups.shape().lanes(), 64, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t i = 0; i < m.words.size(); ++i) {
      const std::size_t lane = groups.lane(i / groups.candidates, i % groups.candidates);
      out[lane] = ((m.words[i] >> widths.shift) << widths.rank_bits) - samples.ranks[i];
    }
  })};
}

RequestCount& RequestCount::operator+=(const RequestCount& other) {
  requests += other.requests;
  lanes += other.lanes;
  dealt += other.dealt;
  return *this;
}

RequestCount RequestCounts::total(Request kind) const {
  RequestCount sum;
  for (const auto& phase : phases) sum += phase[static_cast<std::size_t>(kind)];
  return sum;
}

RequestCount RequestCounts::of(const Ledger& ledger, std::string_view phase, Request kind) const {
  for (std::size_t i = 0; i < phases.size() && i < ledger.phases().size(); ++i) {
    if (ledger.phases()[i].name == phase) return phases[i][static_cast<std::size_t>(kind)];
  }
  return {};
}

void Planned::count_request(Request kind, std::size_t size) {
  const std::size_t phase = ledger_.current_phase();
  if (phase >= requests_.phases.size()) requests_.phases.resize(phase + 1);
  current_ = &requests_.phases[phase][static_cast<std::size_t>(kind)];
  *current_ += {1, size, 0};
}

void Planned::count(std::size_t lanes, unsigned bits) {
  const std::size_t bytes = packed_bytes(lanes, bits);
  current_->dealt += bytes;
  ledger_.count_dealt(bytes);
}

}  // namespace sotto::protocols

namespace sotto {

Samples Samples::in_groups(std::size_t columns) const {
  if (arms.empty()) return {ranks, {}, {}};
  Samples result = *this;
  for (std::size_t& arm : result.arms) arm %= columns;
  return result;
}

Samples Samples::among_groups(std::size_t columns) const {
  Samples result{{}, explore, arms};
  for (std::size_t& arm : result.arms) arm /= columns;
  return result;
}

}  // namespace sotto
