#include "sotto/protocol/simulate/simulate.h"

#include <span>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/frame.h"

namespace sotto::protocols {

Simulator::Simulator(Topology topology, SimulationOptions options)
    : Simulator(topology, std::move(options), draw_session_keys(topology, options.insecure_seed)) {}

Simulator::Simulator(const Topology& topology, SimulationOptions&& options, const SessionKeys& keys)
    : topology_(topology), options_(std::move(options)), dealer_(topology, keys, expansion_label("simulation", 0)) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    nodes_.emplace_back(topology, node, keys.nodes[node], expansion_label("simulation", 0));
  }
}

void Simulator::deal_chunk(std::uint64_t number) {
  as({}, [&] { chunk_ = dealer_.writer()->take_chunk(); });
  if (options_.chunk_tap) options_.chunk_tap(number, chunk_);
  if (topology_.has_dealer()) dealt_ += FrameHeader::size + chunk_.size();
  const NodeId last = topology_.last_party();
  as(last, [&] { nodes_[last].reader()->load_chunk(number, chunk_); });
}

template <class Work>
void Simulator::as(std::optional<NodeId> role, Work work) {
  if (options_.watch) options_.watch(role, rounds_, true);
  work();
  if (options_.watch) options_.watch(role, rounds_, false);
}

// Returns false if all roles have ended. The dealer is first, so that the last party has the chunk of the round.
bool Simulator::gather_all() {
  bool goes_on = false;
  as({}, [&] { goes_on = dealer_.rounds().gather(); });
  deal_chunk(nodes_[0].rounds().round());
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    bool node_goes_on = false;
    as(node, [&] {
      node_goes_on = nodes_[node].rounds().gather();
      if (node == topology_.last_party()) nodes_[node].reader()->finish_chunk();
    });
    if (node_goes_on != goes_on) {
      throw ProtocolError(ProtocolError::Kind::unexpected, topology_.name(node), nodes_[node].rounds().round(),
                          topology_.name(node) + " and the dealer disagree on where the program ends");
    }
  }
  dealer_.writer()->give_back(std::move(chunk_));
  return goes_on;
}

void Simulator::deliver(NodeId from, NodeId to) {
  Rounds& receiver = nodes_[to].rounds();
  const std::span<const std::byte> sent = nodes_[from].rounds().frame_to(to);
  if (sent.empty() && receiver.expected_from(from) == 0) return;
  Bytes& frame = frame_;
  frame.assign(sent.begin(), sent.end());
  sent_[from] += frame.size();
  if (options_.tap) options_.tap(from, to, receiver.round(), frame);
  if (frame.size() < FrameHeader::size) {
    throw ProtocolError(ProtocolError::Kind::truncated, topology_.name(from), receiver.round(),
                        topology_.name(from) + " sent less than a frame's header");
  }
  FrameHeader header;
  if (!read_header(std::span<const std::byte>(frame).first<FrameHeader::size>(), header)) {
    throw ProtocolError(ProtocolError::Kind::malformed, topology_.name(from), receiver.round(),
                        topology_.name(from) + " sent no frame");
  }
  as(to, [&] {
    receiver.check_header(from, header);
    receiver.accept(from, std::span<const std::byte>(frame).subspan(FrameHeader::size));
  });
}

void Simulator::run() {
  while (gather_all()) {
    for (NodeId from = 0; from < topology_.nodes(); ++from) {
      for (NodeId to = 0; to < topology_.nodes(); ++to) {
        if (from != to) deliver(from, to);
      }
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      as(node, [&] { nodes_[node].rounds().scatter(); });
    }
    as({}, [&] { dealer_.rounds().scatter(); });
    ++rounds_;
  }
}

}  // namespace sotto::protocols
