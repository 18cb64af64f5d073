// A byte stream between two roles, as the links see it: TCP, a socket pair, later TLS or an emulated delay around
// another stream.
//
// Nothing here blocks: read_some and write_some move what they can. Who has nothing to do asks each stream what it
// waits for (wait_for) and hands all of it to wait_any(). No stream throws for what the peer does; State::lost and
// failure() say what happened.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sotto::net {

using Clock = std::chrono::steady_clock;

// What would let a stream, a listener or a connector go on.
struct Waitable {
  int descriptor = -1;  // to poll; none if negative
  bool reading = false;
  bool writing = false;
  // It can go on at this time whatever the descriptor says: at once where bytes are held inside.
  Clock::time_point ready_at = Clock::time_point::max();
};

// Returns when one of them can go on, after `at_most`, or when a signal came in: bit i is set where waitables[i] can go
// on, for the first 64. Throws std::system_error if the system refuses to poll.
std::uint64_t wait_any(std::span<const Waitable> waitables, std::chrono::nanoseconds at_most);

class ByteStream {
 public:
  enum class State : std::uint8_t {
    moved,        // `bytes` is above zero
    would_block,  // nothing moved; wait_for() says what to wait for
    closed,       // reading only: the peer ended its direction in order
    lost,         // the connection broke; failure() says how
  };
  struct Transfer {
    std::size_t bytes = 0;
    State state = State::would_block;
    bool is_last = false;  // reading: there is no more just now
  };

  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  [[nodiscard]] virtual Transfer read_some(std::span<std::byte> into) = 0;
  // Writes a first part of `head` followed by `body`; either may be empty, not both.
  [[nodiscard]] virtual Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Sends on what write_some took and the stream still holds, such as an encrypted record. True when it holds nothing,
  // or can send nothing any more.
  [[nodiscard]] virtual bool push() { return true; }
  [[nodiscard]] virtual bool holds_output() const { return false; }
  [[nodiscard]] virtual Waitable wait_for(bool reading, bool writing) const = 0;
  // Ends this direction in order: the peer reads what was written, then State::closed.
  virtual void end_writing() noexcept = 0;
  virtual void close() noexcept = 0;
  // One phrase, after State::lost: "connection reset by peer".
  [[nodiscard]] virtual std::string failure() const = 0;
  // "sha256:" and 64 hex digits, of the certificate that the peer has proved to hold; empty where the stream proves
  // nothing.
  [[nodiscard]] virtual std::string peer_fingerprint() const { return {}; }
  // When that certificate ends; nothing where the stream proves nothing.
  [[nodiscard]] virtual std::optional<std::chrono::system_clock::time_point> peer_valid_until() const { return {}; }
  // After State::lost: whether it was lost because one end does not trust the other's certificate; failure() then says
  // which end, and why.
  [[nodiscard]] virtual bool refused() const { return false; }
};

// A byte stream over a connected socket that it owns: TCP, or one end of a socket pair.

class DescriptorStream final : public ByteStream {
 public:
  // Takes `descriptor` over, makes it non-blocking and closed on exec. Throws std::system_error.
  explicit DescriptorStream(int descriptor);
  ~DescriptorStream() override;

  [[nodiscard]] Transfer read_some(std::span<std::byte> into) override;
  [[nodiscard]] Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override;
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override;
  void end_writing() noexcept override;
  void close() noexcept override;
  [[nodiscard]] std::string failure() const override;

 private:
  Transfer stopped(int error) noexcept;
  Transfer sent(ssize_t bytes) noexcept;

  int descriptor_;
  int error_ = 0;
};

// Two ends of a byte stream within one machine that no port and no address belong to: what tests and examples join
// roles with that are threads of one process, or a process and its child. It is a socket pair of the system, so that it
// behaves as TCP does: bounded, with partial reads and writes. Throws ResourceError if the system has no descriptors
// left.
[[nodiscard]] std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair();

// Sets a connected TCP socket for frames.
//
// A frame leaves at once (TCP_NODELAY). Between two ends on one machine nothing can be congested, and a congestion
// control that paces what it sends only costs time: there, Reno, which every system has and which never waits for a
// timer. A refusal is ignored: it changes no result.
//
// A link that is idle, because nothing is due on it for a while, is kept alive by probes every 30 s: firewalls and NATs
// on the way forget connections that say nothing. After ten minutes without an answer it is lost. That is long on
// purpose: a peer that was cut off is found by the round deadline, which knows for whom this role waits, and no TCP
// time-out may end a run before it.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
