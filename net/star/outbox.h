// What one end still has to send, in order: small messages side by side, so that they leave in one call and one record;
// a large one where it is, which may be shared by all to whom it goes.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "sotto/net/star/message.h"
#include "sotto/net/transport/stream.h"

namespace sotto::net {

class Outbox {
 public:
  // `own`: nobody else holds the message.
  void add(std::shared_ptr<const Message> message, bool own);

  // Heads included, without what the stream itself holds.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // What is held for this end alone.
  [[nodiscard]] std::size_t own_bytes() const noexcept { return own_bytes_; }
  // Writes until the stream takes no more. Sets lost() when the stream is.
  void flush(ByteStream& stream);
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  void clear() noexcept;

 private:
  struct Segment {
    std::vector<std::byte> front;         // heads and small messages
    std::shared_ptr<const Message> body;  // of the last head; perhaps none
    std::size_t own_bytes = 0;
  };

  std::deque<Segment> segments_;
  std::size_t sent_ = 0;  // of the first segment
  std::size_t bytes_ = 0;
  std::size_t own_bytes_ = 0;
  bool lost_ = false;
};

}  // namespace sotto::net
