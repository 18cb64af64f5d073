#include "protocols/preprocessing/dealt_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/text/count.h"
#include "core/wire/bit_pack.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t tile_lanes = 512;

void combine_expansion(Prg& prg, Words& words, unsigned bits, Group group) {
  if (group == Group::sum) return prg.add_to(words, bits);
  prg.xor_to(words, bits);
}

void remove_expansion(Prg& prg, Words& words, unsigned bits, Group group) {
  if (group == Group::sum) return prg.subtract_from(words, bits);
  combine_expansion(prg, words, bits, group);
}

constexpr std::size_t tile_bytes = 16384;

template <class Raw>
void add_expanded(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum) {
  const std::size_t table_bytes = tables.size() * sizeof(Raw);
  const std::size_t step = std::max<std::size_t>(1, tile_bytes / table_bytes);
  const std::uint64_t index_mask = tables.size() - 1;
  const std::uint64_t ring = ring_mask(tables.bits);
  PoolVector<std::byte> tile(std::min(step, tables.lanes) * table_bytes);
  for (std::size_t first = 0; first < tables.lanes; first += step) {
    const std::size_t count = std::min(step, tables.lanes - first);
    expansion.bytes(std::span(tile).first(count * table_bytes));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t entry = (tables.positions[first + i] >> tables.low) & index_mask;
      Raw raw;
      std::memcpy(&raw, tile.data() + i * table_bytes + entry * sizeof(Raw), sizeof(Raw));
      sum[first + i] += (raw & ring) << tables.raise;
    }
  }
}

}  // namespace

DealtAtDealer::DealtAtDealer(Ledger& ledger, const std::vector<Seed>& seeds, const Seed& coins)
    : Dealt(ledger, Side::dealer), coins_(coins) {
  if (seeds.size() != ledger.topology().nodes()) throw std::invalid_argument("the dealer needs a seed a node");
  nodes_.reserve(seeds.size());
  for (const Seed& seed : seeds) nodes_.emplace_back(seed);
}

Words DealtAtDealer::uniform(std::size_t lanes, unsigned bits, Group group) {
  Words value(lanes);
  nodes_[0].fill(value, bits);
  for (std::size_t party = 1; party < ledger_.topology().parties(); ++party) {
    combine_expansion(nodes_[party], value, bits, group);
  }
  return value;
}

Words DealtAtDealer::uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) {
  Words value(lanes);
  nodes_[node].fill(value, bits);
  return value;
}

void DealtAtDealer::add_uniform(Words& to, std::size_t, unsigned bits) {
  for (std::size_t party = 0; party < ledger_.topology().parties(); ++party) {
    nodes_[party].add_to(to, bits);
  }
}

Words DealtAtDealer::distribute(Words values, std::size_t lanes, unsigned bits, Group group) {
  const std::uint64_t ring = ring_mask(bits);
  const std::size_t used = chunk_.size();
  chunk_.resize(used + packed_bytes(lanes, bits));
  std::byte* out = chunk_.data() + used;
  for (std::size_t first = 0; first < lanes; first += tile_lanes) {
    const std::span<std::uint64_t> tile = std::span(values).subspan(first, std::min(tile_lanes, lanes - first));
    if (bits < 64) {
      for (std::uint64_t& word : tile) word &= ring;
    }
    correction_.assign(tile.begin(), tile.end());
    for (std::size_t party = 0; party < ledger_.topology().last_party(); ++party) {
      remove_expansion(nodes_[party], correction_, bits, group);
    }
    pack(correction_, bits, out);
    out += packed_bytes(tile.size(), bits);
  }
  ledger_.count_dealt(packed_bytes(lanes, bits));
  return values;
}

void DealtAtDealer::distribute_bytes(std::span<std::uint8_t> values, unsigned bits) {
  expansion_.resize(values.size());
  for (std::size_t party = 0; party < ledger_.topology().last_party(); ++party) {
    nodes_[party].bytes(expansion_);
    // Without this local pointer, the compiler would assume that a written byte may change expansion_.
    const std::byte* const expanded = expansion_.data();
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::uint8_t>(values[i] - static_cast<std::uint8_t>(expanded[i]));
    }
  }
  const std::size_t bytes = packed_bytes(values.size(), bits);
  const std::size_t used = chunk_.size();
  chunk_.resize(used + bytes);
  pack_bytes(values, bits, chunk_.data() + used);
  ledger_.count_dealt(bytes);
}

Bytes DealtAtDealer::take_chunk() { return std::exchange(chunk_, std::move(spare_)); }

void DealtAtDealer::give_back(Bytes buffer) {
  buffer.clear();
  spare_ = std::move(buffer);
}

DealtAtNode::DealtAtNode(Ledger& ledger, NodeId self, const Seed& seed)
    : Dealt(ledger, ledger.topology().is_party(self) ? Side::party : Side::elsewhere),
      self_(self),
      computes_(ledger.topology().is_party(self)),
      last_(self == ledger.topology().last_party()),
      expansion_(seed) {}

Words DealtAtNode::uniform(std::size_t lanes, unsigned bits, Group) {
  if (!computes_) return {};
  Words share(lanes);
  expansion_.fill(share, bits);
  return share;
}

void DealtAtNode::add_uniform(Words& to, std::size_t, unsigned bits) {
  if (computes_) expansion_.add_to(to, bits);
}

Words DealtAtNode::uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) {
  if (node != self_) return {};
  Words value(lanes);
  expansion_.fill(value, bits);
  return value;
}

Words DealtAtNode::distribute(Words, std::size_t lanes, unsigned bits, Group) {
  const std::size_t bytes = packed_bytes(lanes, bits);
  ledger_.count_dealt(bytes);
  if (!computes_) return {};
  Words share(lanes);
  if (!last_) {
    expansion_.fill(share, bits);
    return share;
  }
  unpack(next_corrections(bytes).data(), bits, share);
  return share;
}

void DealtAtNode::add_dealt(Words& to, std::size_t lanes) {
  const std::size_t bytes = packed_bytes(lanes, 64);
  ledger_.count_dealt(bytes);
  if (!computes_) return;
  if (last_) return unpack_add(next_corrections(bytes).data(), 64, to);
  expansion_.add_to(to, 64);
}

void DealtAtNode::take_entries(const Tables& tables, std::span<std::uint64_t> sum) {
  const std::size_t bytes = packed_bytes(tables.entries(), tables.bits);
  ledger_.count_dealt(bytes);
  if (!computes_) return;
  if (last_) {
    add_packed_entries(next_corrections(bytes), tables, sum);
  } else {
    add_expanded_entries(expansion_, tables, sum);
  }
}

std::span<const std::byte> DealtAtNode::next_corrections(std::size_t bytes) {
  if (bytes > chunk_.size()) {
    throw ProtocolError(
        ProtocolError::Kind::truncated, "dealer", chunks_ - 1,
        fmt::format("the dealer's chunk {} ends early: it runs another program, or the link is damaged", chunks_ - 1));
  }
  const std::span<const std::byte> corrections = chunk_.first(bytes);
  chunk_ = chunk_.subspan(bytes);
  return corrections;
}

void DealtAtNode::load_chunk(std::uint64_t number, std::span<const std::byte> corrections) {
  if (number != chunks_) {
    throw ProtocolError(ProtocolError::Kind::wrong_round, "dealer", chunks_,
                        fmt::format("the dealer sent chunk {} where {} was due", number, chunks_));
  }
  ++chunks_;
  chunk_ = corrections;
}

void DealtAtNode::finish_chunk() {
  if (chunk_.empty()) return;
  throw ProtocolError(ProtocolError::Kind::oversized, "dealer", chunks_ - 1,
                      fmt::format("the dealer's chunk {} has {} too many: it runs another program", chunks_ - 1,
                                  counted(chunk_.size(), "byte")));
}

void add_expanded_entries(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum) {
  switch (stream_bytes(tables.bits)) {
    case 1:
      return add_expanded<std::uint8_t>(expansion, tables, sum);
    case 2:
      return add_expanded<std::uint16_t>(expansion, tables, sum);
    case 4:
      return add_expanded<std::uint32_t>(expansion, tables, sum);
    default:
      return add_expanded<std::uint64_t>(expansion, tables, sum);
  }
}

void add_packed_entries(std::span<const std::byte> packed, const Tables& tables, std::span<std::uint64_t> sum) {
  const std::uint64_t index_mask = tables.size() - 1;
  for (std::size_t lane = 0; lane < tables.lanes; ++lane) {
    const std::size_t entry = (tables.positions[lane] >> tables.low) & index_mask;
    sum[lane] += packed_lane(packed, tables.bits, (lane << tables.index_bits) + entry) << tables.raise;
  }
}

}  // namespace sotto::protocols
