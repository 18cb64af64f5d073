// The round scheduler of one role: makes rounds out of coroutines that wait, without a clock or a socket.
//
//   1. gather() runs every ready coroutine until all wait in an exchange.
//   2. The driver sends frame_to(peer) and receives a frame from each peer for which expected_from(peer) is above zero.
//   3. accept() combines each payload with the waiting lanes.
//   4. scatter() ends the round, and the coroutines continue in the order of registration.
//
// Both ends of a link compute the length of a frame from the same slots. The round number advances for every role, even
// if the role sends and receives nothing.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/slot.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/frame.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto {

// The slot of one coroutine in a round; the coroutine owns the lanes.
struct Registration {
  Slot slot;
  std::span<const std::uint64_t> outgoing;  // empty if this role sends nothing
  std::span<std::uint64_t> incoming;        // payloads are combined into these lanes; empty if none is due
  std::coroutine_handle<> waiting;
};

class Rounds final : public Executor {
 public:
  // `self` is empty for a role that exchanges no frames (dealer, planner).
  Rounds(Topology topology, std::optional<NodeId> self);

  // Runs the program up to its next round, or returns false if the program has ended. Rethrows the exception of a task.
  bool gather();

  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  // The hash of the argument of bind_to() and of all slots so far. The hash is the same at all roles.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

  // Before the first round: mixes `run` into the digest, so that frames of another run do not match. `run` must be the
  // same at all roles.
  void bind_to(std::uint64_t run) noexcept;
  // Before the first round: sets the number of the first round, if other programs have used earlier numbers on the same
  // links.
  void number_from(std::uint64_t first) noexcept { round_ = first; }

  // Before the first round, at a compute party: starts the hash of openings().
  void hash_openings() { openings_.emplace(); }
  // The hash of all words that were opened or broadcast to the compute parties. The hash is the same at all parties
  // unless two parties received different words. Returns zeros if hash_openings() was not called.
  [[nodiscard]] std::array<std::byte, 32> openings();

  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  // The frame, header included, that this role owes `peer` in this round; empty if there is none.
  [[nodiscard]] std::span<const std::byte> frame_to(NodeId peer) const { return frames_[frame_of_[peer]]; }
  // The payload bytes that `peer` owes this role in this round; 0 if there is no frame.
  [[nodiscard]] std::size_t expected_from(NodeId peer) const { return expected_[peer]; }

  // Before reading a payload: throws ProtocolError unless this round expects the header from `peer`.
  void check_header(NodeId peer, const FrameHeader& header) const;
  // Throws ProtocolError if the payload does not have expected_from(peer) bytes.
  void accept(NodeId peer, std::span<const std::byte> payload);

  // Ends the round. Throws std::logic_error unless all frames were accepted.
  void scatter();

  // Forgets all waiting coroutines, before the root task of a failed run is destroyed.
  void abandon() noexcept;

  void enlist(const Registration& registration) { registrations_.push_back(registration); }

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return self_; }
  [[nodiscard]] Ledger& ledger() noexcept { return ledger_; }
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

 private:
  void build_frames();
  void hash_opened(const Registration& registration);
  [[nodiscard]] NodeId same_frame_peer(NodeId peer) const;

  Topology topology_;
  std::optional<NodeId> self_;
  Ledger ledger_;
  std::uint64_t round_ = 0;
  std::uint64_t digest_ = 0x736f74746fu;
  std::optional<RunningHash> openings_;
  Bytes packed_;
  std::vector<Registration> registrations_;
  std::vector<Slot> slots_;
  std::vector<Bytes> frames_;
  std::vector<NodeId> frame_of_;
  std::vector<std::size_t> expected_;  // by peer
  std::vector<bool> accepted_;         // by peer
};

// co_await Exchange(...) takes part in the current round. A protocol waits for nothing else.
class Exchange {
 public:
  Exchange(Rounds& rounds, Slot slot, std::span<const std::uint64_t> outgoing, std::span<std::uint64_t> incoming)
      : rounds_(rounds), slot_(slot), outgoing_(outgoing), incoming_(incoming) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    rounds_.enlist(Registration{slot_, outgoing_, incoming_, waiting});
  }
  void await_resume() const noexcept {}

 private:
  Rounds& rounds_;
  Slot slot_;
  std::span<const std::uint64_t> outgoing_;
  std::span<std::uint64_t> incoming_;
};

// The dealer's corrections (dealt.h) that are drawn between two rounds are one chunk, a frame of type `chunk` with the
// number of the next round. Each Rounds::gather() has one chunk, which may be empty.

// The dealer's side of the chunks: after each Rounds::gather() the driver sends take_chunk() as chunk Rounds::round().
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  // Returns the corrections since the last call, in a buffer that the caller may pass to give_back().
  [[nodiscard]] virtual Bytes take_chunk() = 0;
  virtual void give_back(Bytes buffer) = 0;
};

// The last party's side of the chunks: before each Rounds::gather() the driver loads chunk Rounds::round(). Chunk
// numbers only grow, so no correction is used twice.
class ChunkReader {
 public:
  virtual ~ChunkReader() = default;
  // Throws ProtocolError if `number` is not one more than the number of the last chunk.
  virtual void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) = 0;
  // Throws ProtocolError if the chunk has more bytes than were drawn.
  virtual void finish_chunk() = 0;
};

}  // namespace sotto
