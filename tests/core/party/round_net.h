// Parties and their schedulers without links. The test itself moves the frames between the parties.
#pragma once

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/rounds.h"
#include "tests/framework.h"

namespace sotto::testing {

inline Task<sotto::Words> take_part(Rounds& rounds, Slot slot, sotto::Words mine, sotto::Words room) {
  co_await Exchange(rounds, slot, mine, room);
  co_return room;
}

class RoundNet {
 public:
  explicit RoundNet(Topology topology) : topology_(topology) {
    for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(std::make_unique<Rounds>(topology, node));
  }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] Rounds& node(NodeId id) { return *nodes_[id]; }

  void start(NodeId id, Task<sotto::Words> task) {
    tasks_.push_back(std::move(task));
    tasks_.back().start_on(*nodes_[id]);
  }
  bool gather() {
    bool any = false;
    for (auto& node : nodes_) any = node->gather() || any;
    return any;
  }
  [[nodiscard]] FrameHeader header(NodeId from, NodeId to) const {
    FrameHeader header;
    const auto frame = nodes_[from]->frame_to(to);
    EXPECT_TRUE(read_header(frame.first<FrameHeader::size>(), header));
    return header;
  }
  [[nodiscard]] std::span<const std::byte> payload(NodeId from, NodeId to) const {
    return nodes_[from]->frame_to(to).subspan(FrameHeader::size);
  }
  void deliver_all() {
    for (NodeId from = 0; from < topology_.nodes(); ++from) {
      for (NodeId to = 0; to < topology_.nodes(); ++to) {
        if (from == to || nodes_[from]->frame_to(to).empty()) continue;
        nodes_[to]->check_header(from, header(from, to));
        nodes_[to]->accept(from, payload(from, to));
      }
    }
  }
  void scatter() {
    for (auto& node : nodes_) node->scatter();
  }
  [[nodiscard]] std::vector<sotto::Words> results() {
    std::vector<sotto::Words> results;
    for (Task<sotto::Words>& task : tasks_) results.push_back(task.take());
    return results;
  }

 private:
  Topology topology_;
  std::vector<std::unique_ptr<Rounds>> nodes_;
  std::vector<Task<sotto::Words>> tasks_;
};

}  // namespace sotto::testing
