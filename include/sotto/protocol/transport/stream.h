// A byte stream between two roles, as the links see it: TCP, a socket pair, or another stream with TLS or an emulated
// delay around it.
//
// No function of a stream blocks: read_some and write_some move as many bytes as they can. A caller with nothing to do
// asks each stream which events it waits for (wait_for), and passes all of the answers to wait_any(). No stream throws
// for anything that the peer does; State::lost and failure() say what happened.
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

// The events that let a stream, a listener or a connector continue.
struct Waitable {
  int descriptor = -1;  // the descriptor to poll; none if negative
  bool reading = false;
  bool writing = false;
  // The time at which the stream can continue, whatever the state of the descriptor. `ready_at` is in the past if the
  // stream itself holds bytes.
  Clock::time_point ready_at = Clock::time_point::max();
};

// Returns when one of the waitables can continue, after `at_most`, or when a signal came in. Bit i of the result is set
// if waitables[i] can continue; only the first 64 waitables have a bit. Throws std::system_error if the system refuses
// to poll.
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
    bool is_last = false;  // true after a read if no more bytes are here now
  };

  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  [[nodiscard]] virtual Transfer read_some(std::span<std::byte> into) = 0;
  // Writes as many bytes as it can, first of `head` and then of `body`. Either may be empty, but not both.
  [[nodiscard]] virtual Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Sends the bytes that write_some took and the stream still holds, such as an encrypted record. Returns true when the
  // stream holds nothing, or can send nothing any more.
  [[nodiscard]] virtual bool push() { return true; }
  [[nodiscard]] virtual bool holds_output() const { return false; }
  [[nodiscard]] virtual Waitable wait_for(bool reading, bool writing) const = 0;
  // Ends the sending direction in order: the peer reads everything that was written, and then gets State::closed.
  virtual void end_writing() noexcept = 0;
  virtual void close() noexcept = 0;
  // After State::lost, the reason in one phrase: "connection reset by peer".
  [[nodiscard]] virtual std::string failure() const = 0;
  // The fingerprint of the certificate that the peer has proved to hold: "sha256:" and 64 hex digits. Empty if the
  // stream proves no identity.
  [[nodiscard]] virtual std::string peer_fingerprint() const { return {}; }
  // The end of the validity of the peer's certificate; nothing if the stream proves no identity.
  [[nodiscard]] virtual std::optional<std::chrono::system_clock::time_point> peer_valid_until() const { return {}; }
  // After State::lost: true if the stream was lost because one end does not trust the certificate of the other end. If
  // refused() is true, failure() says which end does not trust the other end, and why.
  [[nodiscard]] virtual bool refused() const { return false; }
};

// A byte stream over a connected socket that the stream owns: TCP, or one end of a socket pair.

class DescriptorStream final : public ByteStream {
 public:
  // Takes ownership of `descriptor`, and makes it non-blocking and closed on exec. Throws std::system_error.
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

// Two ends of a byte stream within one machine, without a port or an address. Tests and examples use such a stream to
// connect roles that are threads of one process, or a process and its child. The stream is a socket pair of the system,
// so it behaves as TCP does: bounded, with partial reads and writes. Throws ResourceError if the system has no
// descriptors left.
[[nodiscard]] std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair();

// Sets the options of a connected TCP socket for frames.
//
// A frame leaves at once (TCP_NODELAY). Between two ends on one machine there is no congestion, and a congestion
// control that paces its packets only costs time. A socket between two ends on one machine uses Reno, which every
// system has and which never waits for a timer. If the system refuses an option, the refusal is ignored, since it
// changes no result.
//
// A link may be idle for a while because nothing is due on the link. Probes every 30 s keep an idle link alive, because
// firewalls and NATs on the way forget silent connections. After ten minutes without an answer the link is lost. The
// ten minutes are long on purpose: no TCP time-out may end a run before the round deadline. The round deadline finds a
// peer that was cut off, and takes into account which peer this role waits for.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
