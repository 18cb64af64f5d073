// The round scheduler of one role: makes rounds out of coroutines that wait. The scheduler uses no clock and no socket.
//
//   1. gather() runs every ready coroutine until all wait in an exchange; each has registered a slot.
//   2. The driver sends frame_to(peer) and receives a frame from each peer for which expected_from(peer) is above zero.
//   3. accept() checks round, digest and exact length, then combines the payload with the waiting lanes.
//   4. scatter() ends the round: the coroutines continue in the order in which they registered.
//
// A frame flows from i to j exactly when the slots of the round give i -> j a length above zero. Roles i and j both
// compute this length from the same slots. The round number advances for every role at every step, whether or not the
// role sends or receives.
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

// The slot of one coroutine in a round, with the lanes to send and the lanes to fill. The lanes belong to the
// coroutine.
struct Registration {
  Slot slot;
  std::span<const std::uint64_t> outgoing;  // lanes to send; empty if this role sends no lanes
  std::span<std::uint64_t> incoming;  // lanes into which received payloads are combined; empty if no payload is due
  std::coroutine_handle<> waiting;
};

class Rounds final : public Executor {
 public:
  // `self` is this role's node, or nothing for a role that exchanges no frames (dealer, planner).
  Rounds(Topology topology, std::optional<NodeId> self);

  // Runs the program up to its next round. Returns false if no coroutine waits, because the program has ended. Rethrows
  // the exception of a task.
  bool gather();

  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  // The running hash of the argument of bind_to() and of all slots so far, the slots of this round included. All roles
  // have the same hash.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

  // To be called before the first round: mixes a word into the digest that only this run has, such as a digest of
  // session and epoch. Frames of another run do not match the digest of this run. The word must be the same at all
  // roles.
  void bind_to(std::uint64_t run) noexcept;
  // To be called before the first round: sets the number of the first round, if other programs have used earlier
  // numbers on the same links.
  void number_from(std::uint64_t first) noexcept { round_ = first; }

  // To be called at a compute party before the first round: from here on, everything that becomes public among the
  // compute parties is hashed.
  void hash_openings() { openings_.emplace(); }
  // The hash of all words that were opened or broadcast to the compute parties. The words are reduced to their ring,
  // and hashed in the order of rounds and of slots. All parties have the same hash, unless different words were sent to
  // two parties. Without hash_openings(), the hash is all zeros.
  [[nodiscard]] std::array<std::byte, 32> openings();

  // The slots of this round's frames, in order.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  // The whole frame, header included, that this role owes `peer` in this round; empty if there is no frame.
  [[nodiscard]] std::span<const std::byte> frame_to(NodeId peer) const { return frames_[frame_of_[peer]]; }
  // Payload bytes that `peer` owes this role in this round; 0 if the peer sends no frame.
  [[nodiscard]] std::size_t expected_from(NodeId peer) const { return expected_[peer]; }

  // Throws ProtocolError unless the header is what this round expects from `peer`. Call check_header() before reading a
  // payload.
  void check_header(NodeId peer, const FrameHeader& header) const;
  // Takes a payload of exactly expected_from(peer) bytes. Throws ProtocolError if the length differs.
  void accept(NodeId peer, std::span<const std::byte> payload);

  // Ends the round. All frames must have been accepted (std::logic_error otherwise).
  void scatter();

  // Forgets all waiting coroutines, without resuming them. To be called before the root task of a failed run is
  // destroyed.
  void abandon() noexcept;

  // Called by Exchange, below.
  void enlist(const Registration& registration) { registrations_.push_back(registration); }

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return self_; }
  [[nodiscard]] Ledger& ledger() noexcept { return ledger_; }
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

 private:
  void build_frames();
  void hash_opened(const Registration& registration);
  // The first peer that gets the same frame as `peer`: an opening goes to all parties as one frame.
  [[nodiscard]] NodeId same_frame_peer(NodeId peer) const;

  Topology topology_;
  std::optional<NodeId> self_;
  Ledger ledger_;
  std::uint64_t round_ = 0;
  std::uint64_t digest_ = 0x736f74746fu;
  std::optional<RunningHash> openings_;
  Bytes packed_;  // packed lanes that are hashed next
  std::vector<Registration> registrations_;
  std::vector<Slot> slots_;
  std::vector<Bytes> frames_;          // by peer; peers with the same frame share the frame of the first peer
  std::vector<NodeId> frame_of_;       // by peer: the index of the peer's frame in frames_
  std::vector<std::size_t> expected_;  // by peer
  std::vector<bool> accepted_;         // by peer
};

// The only thing that a protocol waits for: co_await Exchange(...) takes part in the current round.
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

// Chunks carry the dealer's corrections to the last party. The corrections drawn between two rounds are one chunk: a
// frame of type `chunk`. The round of a chunk is the round that follows, and the digest of a chunk is the hash of
// session and epoch. There is one chunk for each call of Rounds::gather(), the last call included, even if the chunk is
// empty.

// The dealer's side of the chunks. After each Rounds::gather() the driver sends take_chunk() as chunk number
// Rounds::round().
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  // Returns the corrections since the last call. The caller may give the buffer back, to be filled again.
  [[nodiscard]] virtual Bytes take_chunk() = 0;
  virtual void give_back(Bytes buffer) = 0;
};

// The last party's side of the chunks. Before each Rounds::gather() the driver loads chunk number Rounds::round().
// After gather(), the driver calls finish_chunk(). The numbers of chunks only grow, which ensures that no correction is
// used twice.
class ChunkReader {
 public:
  virtual ~ChunkReader() = default;
  // Throws ProtocolError if `number` is not one more than the number of the last chunk.
  virtual void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) = 0;
  // Throws ProtocolError if the chunk has more bytes than were drawn. (A draw throws if the chunk has too few bytes.)
  virtual void finish_chunk() = 0;
};

}  // namespace sotto
