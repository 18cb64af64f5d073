// One connection that carries messages, at a service or a client.
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

// The messages that are not sent yet. Small messages leave in one call and one TLS record. A large message is not
// copied, and its receivers may share it.
class Outbox {
 public:
  // `own` means that no other outbox shares the message.
  void add(std::shared_ptr<const Message> message, bool own);

  // The size includes heads, but not bytes in the stream's own buffer.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Bytes of messages that no other outbox shares.
  [[nodiscard]] std::size_t own_bytes() const noexcept { return own_bytes_; }
  // If the stream is lost, lost() becomes true.
  void flush(ByteStream& stream);
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  void clear() noexcept;

 private:
  struct Segment {
    std::vector<std::byte> front;         // heads and small messages
    std::shared_ptr<const Message> body;  // payload of the last head
    std::size_t own_bytes = 0;
  };

  std::deque<Segment> segments_;
  std::size_t sent_ = 0;
  std::size_t bytes_ = 0;
  std::size_t own_bytes_ = 0;
  bool lost_ = false;
};

class MessageLink {
 public:
  explicit MessageLink(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  void allow(std::size_t longest) noexcept { parser_.allow(longest); }
  // If there is no message, see ended() and fault().
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] const std::string& fault() const noexcept { return parser_.fault(); }
  // True if no more bytes will be read. If only sending has failed, the peer's earlier bytes can still be read.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] bool lost() const noexcept { return lost_ || outbox_.lost(); }
  // The text is one phrase, or empty if the peer ended between two messages.
  [[nodiscard]] std::string loss() const;
  [[nodiscard]] bool in_message() const noexcept { return parser_.in_message(); }
  // Discards a bounded amount of new bytes, and all earlier bytes.
  void discard();

  void post(std::shared_ptr<const Message> message) { outbox_.add(std::move(message), false); }
  void post(Message message) { outbox_.add(std::make_shared<const Message>(std::move(message)), true); }
  void flush();
  [[nodiscard]] bool sending() const;
  [[nodiscard]] std::size_t queued() const noexcept { return outbox_.bytes(); }
  // Memory in bytes for the peer's incomplete message and for unsent messages.
  [[nodiscard]] std::size_t held() const noexcept { return parser_.storage() + outbox_.own_bytes(); }
  // Bytes in both directions.
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
  std::unique_ptr<std::byte[]> buffer_;  // empty when idle
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
  bool ended_ = false;
  bool lost_ = false;
};

}  // namespace sotto::net
