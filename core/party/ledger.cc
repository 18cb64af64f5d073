#include "sotto/protocol/party/ledger.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "sotto/protocol/wire/frame.h"

namespace sotto {
namespace {

Cost cost_of(std::span<const Slot> slots, const Topology& topology) {
  Cost cost;
  cost.rounds = 1;
  const unsigned all_parties = (1U << topology.parties()) - 1;
  std::array<unsigned, max_nodes> peers{};
  const auto sends = [&](std::size_t from, unsigned to, const Slot& slot) {
    to &= ~(1U << from);
    peers[from] |= to;
    cost.sent[from] += slot.lanes * slot.lane_bytes() * static_cast<unsigned>(std::popcount(to));
  };
  for (const Slot& slot : slots) {
    if (slot.lanes == 0) continue;
    if (slot.kind == SlotKind::broadcast) {
      sends(slot.endpoint, all_parties, slot);
      continue;
    }
    if (slot.kind == SlotKind::direct) {
      sends(slot.source, 1U << slot.endpoint, slot);
      continue;
    }
    const unsigned to = slot.kind == SlotKind::open ? all_parties : 1U << slot.endpoint;
    for (std::size_t party = 0; party < topology.parties(); ++party) sends(party, to, slot);
  }
  for (std::size_t node = 0; node < topology.nodes(); ++node) {
    cost.sent[node] += FrameHeader::size * static_cast<unsigned>(std::popcount(peers[node]));
  }
  return cost;
}

std::string labels_of(std::span<const Slot> slots) {
  std::string labels;
  std::vector<std::string_view> seen;
  for (const Slot& slot : slots) {
    if (std::find(seen.begin(), seen.end(), slot.label.text()) != seen.end()) continue;
    seen.push_back(slot.label.text());
    if (!labels.empty()) labels += ", ";
    labels += slot.label.text();
  }
  return labels;
}

}  // namespace

std::uint64_t Cost::sent_by_largest_party(const Topology& topology) const {
  const std::size_t nodes = topology.parties() + (topology.has_helper() ? 1 : 0);
  return *std::max_element(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(nodes));
}

Cost& Cost::operator+=(const Cost& other) {
  rounds += other.rounds;
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] += other.sent[i];
  dealt += other.dealt;
  return *this;
}

void Ledger::enter(std::string_view name) {
  if (!phases_.empty()) phases_[current_].detailed = false;
  const auto found =
      std::find_if(phases_.begin(), phases_.end(), [&](const Phase& phase) { return phase.name == name; });
  if (found == phases_.end()) {
    phases_.push_back(Phase{std::string(name), {}, {}, 0, true});
    current_ = phases_.size() - 1;
  } else {
    current_ = static_cast<std::size_t>(found - phases_.begin());
  }
  Phase& phase = phases_[current_];
  if (++phase.passes <= 2) {
    phase.rounds.clear();
    phase.detailed = true;
  }
}

void Ledger::repeat(const Ledger& longer, std::uint64_t times) {
  const auto more = [times](std::uint64_t& here, std::uint64_t there) {
    if (there < here) throw std::invalid_argument("the longer program costs less");
    here += times * (there - here);
  };
  if (longer.phases_.size() != phases_.size()) throw std::invalid_argument("the longer program has other phases");
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    Phase& phase = phases_[i];
    const Phase& there = longer.phases_[i];
    if (phase.name != there.name) throw std::invalid_argument("the longer program has other phases");
    more(phase.passes, there.passes);
    more(phase.total.rounds, there.total.rounds);
    more(phase.total.dealt, there.total.dealt);
    for (std::size_t node = 0; node < phase.total.sent.size(); ++node) {
      more(phase.total.sent[node], there.total.sent[node]);
    }
  }
  largest_chunk_ = std::max(largest_chunk_, longer.largest_chunk_);
}

Ledger::Phase& Ledger::current() {
  if (phases_.empty()) enter("program");
  return phases_[current_];
}

void Ledger::count_round(std::span<const Slot> slots) {
  const Cost cost = cost_of(slots, topology_);
  Phase& phase = current();
  phase.total += cost;
  if (phase.detailed) {
    phase.rounds.push_back(RoundCost{labels_of(slots), cost});
    phase.rounds.back().cost.dealt = dealt_since_round_;
  }
  dealt_since_round_ = 0;
}

void Ledger::count_dealt(std::uint64_t bytes) {
  current().total.dealt += bytes;
  dealt_since_round_ += bytes;
  largest_chunk_ = std::max(largest_chunk_, dealt_since_round_);
}

Cost Ledger::total() const {
  Cost sum;
  for (const Phase& phase : phases_) sum += phase.total;
  return sum;
}

Cost Ledger::of(std::string_view name) const {
  for (const Phase& phase : phases_) {
    if (phase.name == name) return phase.total;
  }
  return {};
}

}  // namespace sotto
