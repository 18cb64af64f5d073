#include "tests/privacy/transcript.h"
#include "sotto/protocol/preprocessing/program_role.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"

namespace sotto::privacy {
namespace {

void add_round(Layout& layout, std::uint64_t round, std::span<const Slot> slots) {
  const Topology& topology = layout.topology;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Slot& slot = slots[s];
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      std::uint32_t receivers = 0;
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        if (slot.flows(topology, from, to)) receivers |= 1u << to;
      }
      if (receivers == 0) continue;
      layout.messages.push_back(Message{round, s, std::string(slot.label.text()), slot.kind, slot.group, slot.bits,
                                        slot.lanes, from, receivers, layout.words});
      layout.words += slot.lanes;
    }
  }
}

std::size_t lane_bytes(const Message& message) {
  return message.bits <= 8 ? 1 : message.bits <= 16 ? 2 : message.bits <= 32 ? 4 : 8;
}

void take_frame(const Layout& layout, std::span<const std::byte> payload, NodeId from, NodeId to, std::uint64_t round,
                std::vector<bool>& seen, Numbers& words) {
  std::size_t at = 0;
  for (std::size_t m = 0; m < layout.messages.size(); ++m) {
    const Message& message = layout.messages[m];
    if (message.round != round || message.from != from || (message.receivers >> to & 1) == 0) continue;
    const std::size_t width = lane_bytes(message);
    if (at + message.lanes * width > payload.size()) throw std::logic_error("a frame is too short");
    for (std::size_t lane = 0; lane < message.lanes; ++lane, at += width) {
      std::uint64_t word = 0;
      std::memcpy(&word, payload.data() + at, width);
      std::uint64_t& kept = words[message.first + lane];
      if (seen[m] && kept != word) throw std::logic_error("two receivers got different words");
      kept = word;
    }
    seen[m] = true;
  }
  if (at != payload.size()) throw std::logic_error("a frame is too long");
}

Bytes expansion_of(const Seed& seed, std::size_t bytes) {
  Prg prg(seed.derive(protocols::expansion_label("simulation", 0)));
  Bytes stream(bytes);
  prg.bytes(stream);
  return stream;
}

class Recorded final : public protocols::Dealt {
 public:
  Recorded(Ledger& ledger, std::vector<Draw>& draws) : Dealt(ledger, Side::elsewhere), draws_(draws) {}

 private:
  [[nodiscard]] Words uniform(std::size_t lanes, unsigned bits, Group group) override {
    return add({Draw::Kind::uniform, 0, lanes, bits, group});
  }
  void add_uniform(Words&, std::size_t lanes, unsigned bits) override {
    add({Draw::Kind::uniform, 0, lanes, bits, Group::sum});
  }
  [[nodiscard]] Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) override {
    return add({Draw::Kind::known, node, lanes, bits, Group::sum});
  }
  [[nodiscard]] Words distribute(Words, std::size_t lanes, unsigned bits, Group group) override {
    return add({Draw::Kind::dealt, 0, lanes, bits, group});
  }
  void add_dealt(Words&, std::size_t lanes) override { add({Draw::Kind::dealt, 0, lanes, 64, Group::sum}); }
  void take_entries(const Tables& tables, std::span<std::uint64_t>) override {
    add({Draw::Kind::dealt, 0, tables.entries(), tables.bits, Group::sum});
  }
  Words add(const Draw& draw) {
    draws_.push_back(draw);
    return {};
  }

  std::vector<Draw>& draws_;
};

}  // namespace

Layout lay_out(const Topology& topology, const Program& program) {
  Layout layout;
  layout.topology = topology;
  Rounds rounds(topology, std::nullopt);
  Recorded recorded(rounds.ledger(), layout.draws);
  Party party(rounds, recorded);
  Task<Numbers> task = program(party);
  task.start_on(rounds);
  while (rounds.gather()) {
    add_round(layout, rounds.round(), rounds.slots());
    rounds.scatter();
  }
  return layout;
}

std::vector<std::vector<Message>> slots_of(const Layout& layout) {
  std::vector<std::vector<Message>> slots;
  for (const Message& message : layout.messages) {
    const bool next =
        slots.empty() || slots.back().front().round != message.round || slots.back().front().slot != message.slot;
    if (next) slots.emplace_back();
    slots.back().push_back(message);
  }
  return slots;
}

std::string name_of(const Message& message, std::size_t lane, const std::string& what) {
  return "round " + std::to_string(message.round) + " '" + message.label + "'[" + std::to_string(lane) + "] " + what;
}

std::uint64_t opened_lane(const std::vector<Message>& slot, const Run& run, std::size_t lane) {
  std::uint64_t sum = 0;
  for (const Message& share : slot) {
    const std::uint64_t word = run.words[share.first + lane];
    sum = share.group == Group::sum ? sum + word : sum ^ word;
  }
  return sum & ring_mask(slot.front().bits);
}

Run record(const Layout& layout, const Program& program, std::uint64_t seed, std::size_t stream_bytes) {
  Run run;
  run.words.resize(layout.words);
  std::vector<bool> seen(layout.messages.size());
  protocols::SimulationOptions options;
  options.insecure_seed = seed;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    take_frame(layout, std::span<const std::byte>(frame).subspan(FrameHeader::size), from, to, round, seen, run.words);
  };
  options.chunk_tap = [&](std::uint64_t, Bytes& chunk) {
    run.chunks.insert(run.chunks.end(), chunk.begin(), chunk.end());
  };
  run.results = protocols::simulate(layout.topology, program, std::move(options)).nodes;
  const protocols::SessionKeys keys = protocols::draw_session_keys(layout.topology, seed);
  for (const Seed& node : keys.nodes) run.streams.push_back(expansion_of(node, stream_bytes));
  run.coins = expansion_of(keys.coins, stream_bytes);
  return run;
}

}  // namespace sotto::privacy
