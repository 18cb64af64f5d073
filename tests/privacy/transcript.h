// A recorder around simulate(): all that flows in a run, message by message. The layout is read off the program run on
// shapes alone, as every role does it; repetitions then differ in their words only.
#pragma once

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/slot.h"
#include "tests/framework.h"

namespace sotto::privacy {

using Numbers = std::vector<std::uint64_t>;

// What every role runs; returns what this role holds at the end (shares, opened words).
using Program = std::function<Task<Numbers>(Party&)>;

// What one node sends in one slot of a round; the same to each of its receivers.
struct Message {
  std::uint64_t round;
  std::size_t slot;  // in the round
  std::string label;
  SlotKind kind;
  Group group;
  unsigned bits;
  std::size_t lanes;
  NodeId from;
  std::uint32_t receivers;  // a bit a node
  std::size_t first;        // of its words in Run::words
};

// Lanes of one draw of a request (include/sotto/protocol/preprocessing/dealt.h): a lane takes 1, 2, 4 or 8 bytes of
// a node's stream, or `bits` bits of the corrections.
struct Draw {
  enum class Kind : std::uint8_t {
    uniform,  // of the stream of every compute party
    known,    // of the stream of one node
    dealt,    // of the streams of all compute parties but the last, and of the corrections
  };
  Kind kind;
  NodeId node;  // of known
  std::size_t lanes;
  unsigned bits;
  Group group;
};

struct Layout {
  Topology topology{2};
  std::vector<Message> messages;  // by round, slot, sender
  std::size_t words = 0;
  std::vector<Draw> draws;  // in the order of the program
};

struct Run {
  Numbers words;
  Bytes chunks;                  // the dealer's corrections, all rounds
  std::vector<Bytes> streams;    // by node: what its seed expands to
  Bytes coins;                   // what the dealer's own seed expands to
  std::vector<Numbers> results;  // by node
};

[[nodiscard]] Layout lay_out(const Topology& topology, const Program& program);

// The messages of each slot of each round: its senders.
[[nodiscard]] std::vector<std::vector<Message>> slots_of(const Layout& layout);
[[nodiscard]] std::string name_of(const Message& message, std::size_t lane, const std::string& what);
// The shares of all senders of a slot together.
[[nodiscard]] std::uint64_t opened_lane(const std::vector<Message>& slot, const Run& run, std::size_t lane);

// One run with the seeds of `seed`. `stream_bytes` of every node's expansion are kept. Throws std::logic_error if a
// node sends different words to its receivers, or a frame does not fit.
[[nodiscard]] Run record(const Layout& layout, const Program& program, std::uint64_t seed, std::size_t stream_bytes);

}  // namespace sotto::privacy
