#include "sotto/net/star/message_link.h"

#include <span>

namespace sotto::net {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;
// One that sends a large message quickly does not keep the others waiting.
constexpr int most_reads_at_once = 16;

}  // namespace

bool MessageLink::read() {
  if (ended_) return false;
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes);
  const ByteStream::Transfer in = stream_->read_some(std::span(buffer_.get(), buffer_bytes));
  if (in.state == ByteStream::State::moved) {
    begin_ = 0;
    end_ = in.bytes;
    received_ += in.bytes;
    return true;
  }
  buffer_.reset();
  ended_ = in.state != ByteStream::State::would_block;
  lost_ = in.state == ByteStream::State::lost;
  return false;
}

std::optional<Message> MessageLink::next() {
  for (int reads = 0;;) {
    if (begin_ < end_) {
      std::span<const std::byte> input(buffer_.get() + begin_, end_ - begin_);
      std::optional<Message> message = parser_.next(input);
      begin_ = end_ - input.size();
      if (message || !fault().empty()) return message;
    }
    // A message without a payload may end with the last byte of its head.
    if (reads++ == most_reads_at_once || !read()) return std::nullopt;
  }
}

void MessageLink::discard() {
  begin_ = end_ = 0;
  for (int reads = 0; reads < most_reads_at_once && read(); ++reads) begin_ = end_;
}

std::string MessageLink::loss() const {
  if (lost()) return stream_->failure();
  return in_message() ? "it closed the connection in the middle of a message" : "";
}

void MessageLink::flush() {
  const std::size_t before = outbox_.bytes();
  outbox_.flush(*stream_);
  if (!outbox_.lost()) sent_ += before - outbox_.bytes();
  if (stream_->holds_output()) static_cast<void>(stream_->push());
}

bool MessageLink::sending() const { return outbox_.bytes() > 0 || stream_->holds_output(); }

Waitable MessageLink::wait_for(bool reading) const {
  const bool more = reading && !ended_;
  Waitable waitable = stream_->wait_for(more, sending());
  if (more && begin_ < end_) waitable.ready_at = Clock::time_point{};
  return waitable;
}

}  // namespace sotto::net
