// One connection that carries messages: a stream, the incomplete message that is coming, and the messages to send. The
// service (net/star/service.h) and the client (net/star/client.h) both use MessageLink.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/star/message.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::net {

// The messages that one end still has to send, in order. Small messages are copied next to each other, so that they
// leave in one call and one record. A large message is not copied, and all its receivers may share it.
class Outbox {
 public:
  // `own` means that no other outbox shares the message.
  void add(std::shared_ptr<const Message> message, bool own);

  // The bytes to send, heads included, without the bytes that the stream itself buffers.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // The bytes of messages that no other outbox shares.
  [[nodiscard]] std::size_t own_bytes() const noexcept { return own_bytes_; }
  // Writes until the stream takes no more. Sets lost() if the stream is lost.
  void flush(ByteStream& stream);
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  void clear() noexcept;

 private:
  struct Segment {
    std::vector<std::byte> front;         // heads and small messages
    std::shared_ptr<const Message> body;  // the payload of the last head; may be null
    std::size_t own_bytes = 0;
  };

  std::deque<Segment> segments_;
  std::size_t sent_ = 0;  // bytes sent of the first segment
  std::size_t bytes_ = 0;
  std::size_t own_bytes_ = 0;
  bool lost_ = false;
};

class MessageLink {
 public:
  explicit MessageLink(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  // After this call the peer may send messages of a program.
  void allow(std::size_t longest) noexcept { parser_.allow(longest); }
  // Reads a bounded amount and returns the next message. Returns nothing if there is no message now, or if no message
  // will come any more; see ended() and fault().
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] const std::string& fault() const noexcept { return parser_.fault(); }
  // True if nothing more will come: the peer ended its direction, or the connection is lost. If only sending has
  // failed, the bytes that the peer sent before can still be read.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] bool lost() const noexcept { return lost_ || outbox_.lost(); }
  // Once ended() is true: the reason in one phrase. The reason is empty if the peer ended in order, between two
  // messages.
  [[nodiscard]] std::string loss() const;
  [[nodiscard]] bool in_message() const noexcept { return parser_.in_message(); }
  // Reads a bounded amount and discards it, together with the bytes that came before.
  void discard();

  void post(std::shared_ptr<const Message> message) { outbox_.add(std::move(message), false); }
  void post(Message message) { outbox_.add(std::make_shared<const Message>(std::move(message)), true); }
  // Sends as much as the stream takes now.
  void flush();
  [[nodiscard]] bool sending() const;
  [[nodiscard]] std::size_t queued() const noexcept { return outbox_.bytes(); }
  // The memory that this connection's peer takes up: its incomplete message, and the messages that it has not taken.
  [[nodiscard]] std::size_t held() const noexcept { return parser_.storage() + outbox_.own_bytes(); }
  // Bytes received and sent since the connection was made.
  [[nodiscard]] std::uint64_t moved() const noexcept { return received_ + sent_; }

  [[nodiscard]] Waitable wait_for(bool reading) const;
  void end_writing() noexcept { stream_->end_writing(); }
  [[nodiscard]] std::string peer_fingerprint() const { return stream_->peer_fingerprint(); }
  [[nodiscard]] bool refused() const { return stream_->refused(); }

 private:
  bool read();

  std::unique_ptr<ByteStream> stream_;
  MessageParser parser_;
  Outbox outbox_;
  std::unique_ptr<std::byte[]> buffer_;  // allocated only while it holds bytes
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
  bool ended_ = false;
  bool lost_ = false;
};

}  // namespace sotto::net
