// A run in which every link has a frame in every round, for tests of peers that deviate. The roles are threads of one
// process.
#pragma once

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/transport/stream.h"
#include "tests/core/party/round_net.h"
#include "tests/faults/tamper.h"
#include "tests/net/roles.h"

namespace sotto::testing {

inline constexpr std::uint64_t conversation_rounds = 5;
inline constexpr std::uint64_t largest_chunk = FrameHeader::size + 2 * 4 * 8;

// In each round the parties open four fresh sharings of the round's number, open four more to the actor only, and
// receive a broadcast from the actor. Returns the sum of all numbers that this role has seen.
inline Task<std::uint64_t> conversation(Rounds& rounds, Preprocessing& preprocessing, NodeId self) {
  const Topology topology = rounds.topology();
  const bool computes = topology.is_party(self);
  const bool acts = self == topology.outside_node();
  std::uint64_t sum = 0;
  for (std::uint64_t round = 0; round < conversation_rounds; ++round) {
    sotto::Words opened = preprocessing.zero(4, 64, Group::sum).words;
    sotto::Words told = preprocessing.zero(4, 64, Group::sum).words;
    if (!computes) opened = told = {};
    if (self == 0) {
      for (std::uint64_t& value : opened) value += round + 1;
      for (std::uint64_t& value : told) value += round + 1;
    }
    const Slot open{"numbers", SlotKind::open, 64, 4};
    const Slot open_to{"for the actor", SlotKind::open_to, 64, 4, topology.outside_node()};
    const Slot broadcast{"word", SlotKind::broadcast, 64, 2, topology.outside_node()};
    const std::size_t hears = acts ? 4 : 0;
    const std::size_t speaks = acts ? 2 : 0;
    const std::size_t listens = computes ? 2 : 0;
    auto [all, actors, word] = co_await when_all(
        take_part(rounds, open, opened, opened), take_part(rounds, open_to, told, sotto::Words(hears, 0)),
        take_part(rounds, broadcast, sotto::Words(speaks, round + 1), sotto::Words(listens, 0)));
    for (const std::uint64_t value : all) sum += value;
    for (const std::uint64_t value : actors) sum += value;
    for (const std::uint64_t value : word) sum += value;
  }
  co_return sum;
}

struct RoleEnd : net::testing::Outcome {
  std::chrono::duration<double> after{};
  std::uint64_t sum = 0;
};

using Streams = std::map<NodeId, std::unique_ptr<net::ByteStream>>;

struct Conversation {
  Topology topology;
  std::chrono::milliseconds round_deadline{2'000};
  std::chrono::milliseconds setup_deadline{20'000};
  std::string parameters = "steps = 5\n";
  std::function<void(net::MeshConfig&)> change{};
  std::function<std::unique_ptr<net::ByteStream>(std::unique_ptr<net::ByteStream>, NodeId self, NodeId peer)> wrap{};
};

inline std::uint64_t take_part(net::Mesh& mesh, const net::DriverOptions& options) {
  const auto program = [self = mesh.self()](Party& party) {
    return conversation(party.rounds(), party.preprocessing(), self);
  };
  return net::run_program(mesh, program, options).result.value_or(0);
}

inline RoleEnd role_end(const std::function<std::uint64_t()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  RoleEnd end;
  static_cast<net::testing::Outcome&>(end) = net::testing::outcome_of([&] { end.sum = body(); });
  end.after = std::chrono::steady_clock::now() - begin;
  return end;
}

inline std::map<NodeId, RoleEnd> converse(const Conversation& run) {
  std::map<NodeId, Streams> streams;
  std::map<NodeId, RoleEnd> ends;
  for (const NodeId self : net::testing::roles_of(run.topology)) {
    ends[self] = {};
    for (const NodeId peer : net::peers_of(run.topology, self)) {
      if (!net::connects_to(run.topology, self, peer)) continue;
      auto [mine, theirs] = net::make_stream_pair();
      if (run.wrap) mine = run.wrap(std::move(mine), self, peer);
      if (run.wrap) theirs = run.wrap(std::move(theirs), peer, self);
      streams[self][peer] = std::move(mine);
      streams[peer][self] = std::move(theirs);
    }
  }
  std::vector<std::jthread> threads;
  for (auto& [role, end] : ends) {
    threads.emplace_back([&run, self = role, result = &end, &links = streams.at(role)] {
      *result = role_end([&] {
        net::MeshConfig config{run.topology, self, net::SessionId{}, run.parameters, ""};
        if (run.topology.is_party(self)) config.announcement = "columns = 1";
        config.streams = std::move(links);
        config.setup_deadline = run.setup_deadline;
        if (run.change) run.change(config);
        net::Mesh mesh = net::set_up_mesh(std::move(config));
        net::DriverOptions options;
        options.round_deadline = run.round_deadline;
        options.largest_chunk = largest_chunk;
        return take_part(mesh, options);
      });
    });
  }
  threads.clear();
  return ends;
}

struct Attack {
  Topology topology;
  NodeId culprit;
  NodeId victim;
  FrameType type;
  std::uint64_t round = 0;
};

inline std::map<NodeId, RoleEnd> tamper_with(const Attack& attack, Deviation deviation, Conversation run) {
  run.wrap = [&](std::unique_ptr<net::ByteStream> stream, NodeId self,
                 NodeId peer) -> std::unique_ptr<net::ByteStream> {
    if (self != attack.culprit || peer != attack.victim) return stream;
    return std::make_unique<TamperedStream>(std::move(stream), Tamper(deviation, attack.type, attack.round));
  };
  return converse(run);
}

}  // namespace sotto::testing
