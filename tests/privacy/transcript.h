// A recorder around simulate(), which records all that flows in a run, message by message. The layout comes from the
// program run only on shapes, as every role does it; repetitions then differ only in their words.
#pragma once

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/slot.h"
#include "tests/framework.h"

namespace sotto::privacy {

using Numbers = std::vector<std::uint64_t>;

// The program of every role; it returns what the role holds at the end (shares, opened words).
using Program = std::function<Task<Numbers>(Party&)>;

// A message that one node sends in one slot of a round; each of its receivers gets the same.
struct Message {
  std::uint64_t round;
  std::size_t slot;  // in the round
  std::string label;
  SlotKind kind;
  Group group;
  unsigned bits;
  std::size_t lanes;
  NodeId from;
  std::uint32_t receivers;  // one bit per node
  std::size_t first;        // place of its first word in Run::words
};

// Lanes of one draw of a request (include/sotto/protocol/preprocessing/dealt.h): a lane takes 1, 2, 4 or 8 bytes of
// a node's stream, or `bits` bits of the corrections.
struct Draw {
  enum class Kind : std::uint8_t {
    uniform,  // from the stream of every compute party
    known,    // from the stream of one node
    dealt,    // from the streams of all compute parties except the last, and from the corrections
  };
  Kind kind;
  NodeId node;  // for known
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
  std::vector<Bytes> streams;    // by node: the expansion of its seed
  Bytes coins;                   // the expansion of the dealer's own seed
  std::vector<Numbers> results;  // by node
};

[[nodiscard]] Layout lay_out(const Topology& topology, const Program& program);

// The messages of each slot of each round, one per sender.
[[nodiscard]] std::vector<std::vector<Message>> slots_of(const Layout& layout);
[[nodiscard]] std::string name_of(const Message& message, std::size_t lane, const std::string& what);
// The shares of all senders of a slot, combined.
[[nodiscard]] std::uint64_t opened_lane(const std::vector<Message>& slot, const Run& run, std::size_t lane);

// Records one run with the seeds of `seed`, and keeps `stream_bytes` bytes of every node's expansion. Throws
// std::logic_error if a node sends different words to its receivers, or a frame does not fit.
[[nodiscard]] Run record(const Layout& layout, const Program& program, std::uint64_t seed, std::size_t stream_bytes);

}  // namespace sotto::privacy
