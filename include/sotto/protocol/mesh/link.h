// Frames over one byte stream to one peer, without blocking.
//
// The caller must keep the storage of a data frame until flush() says that the frame has been sent. Memory for a
// payload grows with the bytes that arrive, never with the length that a peer claims.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/mesh/control.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/wire/frame.h"

namespace sotto::net {

class Link {
 public:
  Link(NodeId peer, const Topology& topology, std::unique_ptr<ByteStream> stream);

  [[nodiscard]] NodeId peer() const noexcept { return peer_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Sets the peer of an accepted connection, once its hello has named the role.
  void identify(NodeId peer);

  // Copies `head`, but not `body`. Throws std::logic_error if the previous data frame has not been sent.
  void send(std::span<const std::byte> head, std::span<const std::byte> body);
  void post(FrameType type, std::uint64_t round, std::span<const std::byte> payload);
  // Writes as many bytes as the stream accepts. Returns true when nothing is left to send, or nothing can be sent any
  // more.
  bool flush();
  [[nodiscard]] bool sending() const noexcept;
  [[nodiscard]] bool sending_frame() const noexcept { return !head_left_.empty() || !body_left_.empty(); }
  [[nodiscard]] bool posting() const noexcept { return !posted_.empty(); }

  // The header of the next data frame, once it has arrived. Handles control frames, but at most some hundred in one
  // call, so that a flooding peer does not delay the caller. Throws RemoteFailure on a `failed` frame, and
  // ProtocolError on bytes that are not a frame.
  [[nodiscard]] std::optional<FrameHeader> next();
  [[nodiscard]] bool receive(std::size_t length);
  [[nodiscard]] std::span<const std::byte> payload(std::size_t length) const;
  // Overwrites and drops the frame.
  void wipe(std::size_t length);
  void consume(std::size_t length);
  // Lets the peer send messages of up to `longest` bytes, which next() stores.
  void take_messages(std::size_t longest) noexcept { longest_message_ = longest; }
  [[nodiscard]] std::optional<std::vector<std::byte>> take_message();
  // After a failure at this role: drops data frames unread, and looks for control frames only.
  void look_for_failure();

  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] bool finished() const noexcept { return finished_; }
  [[nodiscard]] bool told_failure() const noexcept { return told_failure_; }
  // True if the connection broke, so bytes that this role sends are lost.
  [[nodiscard]] bool write_lost() const noexcept { return write_lost_; }
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  [[nodiscard]] NodeId waits_for() const noexcept { return waits_for_; }
  // The fingerprint of the peer's certificate; empty if the link proves no identity.
  [[nodiscard]] std::string peer_fingerprint() const { return stream_->peer_fingerprint(); }
  [[nodiscard]] auto peer_valid_until() const { return stream_->peer_valid_until(); }
  // True if the link closed because one end does not trust the other end's certificate.
  [[nodiscard]] bool refused() const { return stream_->refused(); }
  // The peer's round in its last `waiting` frame. The peer's frames of all earlier rounds have arrived.
  [[nodiscard]] std::uint64_t announced_round() const noexcept { return announced_round_; }
  // The number of bytes of the next data frame that have arrived so far.
  [[nodiscard]] std::size_t data_here() const noexcept { return holds_data_ ? held() : 0; }
  // Why the link was lost, such as "connection reset by peer".
  [[nodiscard]] std::string loss() const;
  [[nodiscard]] bool take_sign_of_life() noexcept;

  [[nodiscard]] bool holds_data() const noexcept { return holds_data_; }
  [[nodiscard]] Waitable wait_for(bool reading) const;
  void end_writing() noexcept { stream_->end_writing(); }
  void close() noexcept;

  [[nodiscard]] std::uint64_t data_bytes_sent() const noexcept { return data_bytes_sent_; }
  [[nodiscard]] std::uint64_t data_frames_sent() const noexcept { return data_frames_sent_; }
  void begin_run();

 private:
  bool fill(std::size_t wanted);
  [[nodiscard]] std::size_t held() const noexcept { return end_ - begin_; }
  void handle_control(const FrameHeader& header);
  void put_aside(const FrameHeader& header);
  [[nodiscard]] ProtocolError violation(ProtocolError::Kind kind, std::uint64_t round, const std::string& what) const;

  NodeId peer_;
  Topology topology_;
  std::string name_;
  std::unique_ptr<ByteStream> stream_;

  std::array<std::byte, FrameHeader::size> head_{};
  std::span<const std::byte> head_left_;
  std::span<const std::byte> body_left_;
  bool in_data_frame_ = false;
  std::vector<std::byte> posted_;
  std::size_t posted_out_ = 0;

  Bytes buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t skip_ = 0;
  bool holds_data_ = false;
  bool holds_unseen_ = false;
  bool read_all_ = false;

  bool closed_ = false;
  bool write_lost_ = false;
  bool finished_ = false;
  bool told_failure_ = false;
  bool ready_ = false;
  std::size_t longest_message_ = 0;
  std::deque<std::vector<std::byte>> messages_;
  bool sign_of_life_ = false;
  NodeId waits_for_ = nobody;
  std::uint64_t announced_round_ = 0;
  std::uint64_t data_bytes_sent_ = 0;
  std::uint64_t data_frames_sent_ = 0;
};

}  // namespace sotto::net
