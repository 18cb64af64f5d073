// A byte stream between two roles: TCP, a socket pair, or another stream with TLS or an emulated delay around it.
//
// No function of a stream blocks, and none throws for anything that the peer does: State::lost and failure() report it.
// A caller that cannot continue passes wait_for() of all its streams to wait_any().
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

// The events for which a stream, a listener or a connector waits.
struct Waitable {
  int descriptor = -1;  // to poll; none if negative
  bool reading = false;
  bool writing = false;
  // The time at which the stream can continue without an event. This time is in the past if the stream has buffered
  // bytes.
  Clock::time_point ready_at = Clock::time_point::max();
};

// Returns when a waitable can continue, after `at_most`, or on a signal. Bit i of the result says that waitables[i] can
// continue, for the first 64 waitables. Throws std::system_error if the system refuses to poll.
std::uint64_t wait_any(std::span<const Waitable> waitables, std::chrono::nanoseconds at_most);

class ByteStream {
 public:
  enum class State : std::uint8_t {
    moved,        // `bytes` is above zero
    would_block,  // wait_for() says what to wait for
    closed,       // reading only: the peer ended its direction
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
  // Writes first `head`, then `body`, of which one may be empty.
  [[nodiscard]] virtual Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Sends bytes that the stream has buffered, such as an encrypted record. Returns true when the buffer is empty, or
  // nothing can be sent any more.
  [[nodiscard]] virtual bool push() { return true; }
  [[nodiscard]] virtual bool holds_output() const { return false; }
  [[nodiscard]] virtual Waitable wait_for(bool reading, bool writing) const = 0;
  // The peer reads everything that was written, and then gets State::closed.
  virtual void end_writing() noexcept = 0;
  virtual void close() noexcept = 0;
  // After State::lost, the reason in one phrase.
  [[nodiscard]] virtual std::string failure() const = 0;
  // The fingerprint of the certificate that the peer has proved to hold: "sha256:" and 64 hex digits, or empty.
  [[nodiscard]] virtual std::string peer_fingerprint() const { return {}; }
  [[nodiscard]] virtual std::optional<std::chrono::system_clock::time_point> peer_valid_until() const { return {}; }
  // True if the stream was lost because one end does not trust the other end's certificate; failure() gives the reason.
  [[nodiscard]] virtual bool refused() const { return false; }
};

// A byte stream over a connected socket.

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

// Two ends of a socket pair, for roles that are threads, or a process and its child. Throws ResourceError if the system
// has no descriptors left.
[[nodiscard]] std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair();

// Sets options of a connected TCP socket, and ignores refusals. Frames leave at once (TCP_NODELAY). On one machine the
// socket uses Reno, which never waits for a timer to pace packets. Probes every 30 s keep idle links alive. A link
// without an answer is lost after ten minutes: no TCP time-out may end a run before the round deadline.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
