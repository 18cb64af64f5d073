// Records everything that is sent in a run, message by message. Every role can compute the layout by a run of the
// program with shapes and without data. Repetitions of a run differ only in their words.
#pragma once

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/slot.h"
#include "tests/framework.h"

namespace sotto::privacy {

using Numbers = std::vector<std::uint64_t>;

// The program that every role runs. The program returns the values that the role has at the end (shares, opened words).
using Program = std::function<Task<Numbers>(Party&)>;

// A message that one node sends in one slot of a round. All receivers of the message get the same words.
struct Message {
  std::uint64_t round;
  std::size_t slot;
  std::string label;
  SlotKind kind;
  Group group;
  unsigned bits;
  std::size_t lanes;
  NodeId from;
  std::uint32_t receivers;  // a set of nodes, one bit per node
  std::size_t first;        // index of the message's first word in Run::words
};

// A draw is a part of a request for randomness (include/sotto/protocol/preprocessing/dealt.h). Each lane of the draw
// takes 1, 2, 4 or 8 bytes from the stream of a node, or `bits` bits from the corrections.
struct Draw {
  enum class Kind : std::uint8_t {
    uniform,  // expanded from the streams of all compute parties
    known,    // expanded from the stream of one node
    dealt,    // expanded from the streams of all compute parties except the last; the last party gets corrections
  };
  Kind kind;
  NodeId node;  // the node of a draw of the kind `known`
  std::size_t lanes;
  unsigned bits;
  Group group;
};

struct Layout {
  Topology topology{2};
  std::vector<Message> messages;  // in the order of round, slot, sender
  std::size_t words = 0;
  std::vector<Draw> draws;  // in the order in which the program makes the draws
};

struct Run {
  Numbers words;
  Bytes chunks;                  // the dealer's corrections of all rounds
  std::vector<Bytes> streams;    // index: node; the expansion of the node's seed
  Bytes coins;                   // the expansion of the dealer's own seed
  std::vector<Numbers> results;  // index: node; the result of the node's program
};

[[nodiscard]] Layout lay_out(const Topology& topology, const Program& program);

// The messages of each slot of each round, one per sender.
[[nodiscard]] std::vector<std::vector<Message>> slots_of(const Layout& layout);
[[nodiscard]] std::string name_of(const Message& message, std::size_t lane, const std::string& what);
// Returns the sum of the shares of all senders of a slot, in one lane.
[[nodiscard]] std::uint64_t opened_lane(const std::vector<Message>& slot, const Run& run, std::size_t lane);

// Records one run with seeds that are made from `seed`, and keeps `stream_bytes` bytes of every node's expansion.
// Throws std::logic_error if a node sends different words to its receivers, or a frame does not fit.
[[nodiscard]] Run record(const Layout& layout, const Program& program, std::uint64_t seed, std::size_t stream_bytes);

}  // namespace sotto::privacy
