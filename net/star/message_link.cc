#include "net/star/message_link.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sotto::net {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;
// A peer that sends a large message quickly must not keep other peers waiting.
constexpr int most_reads_at_once = 16;

constexpr std::size_t small_payload = 4 * 1024;
constexpr std::size_t full_front = 64 * 1024;

}  // namespace

void Outbox::add(std::shared_ptr<const Message> message, bool own) {
  if (lost_) return;
  const MessageHead head = head_of(*message);
  if (segments_.empty() || segments_.back().body || segments_.back().front.size() > full_front) {
    segments_.emplace_back();
  }
  Segment& last = segments_.back();
  last.front.insert(last.front.end(), head.begin(), head.end());
  const std::vector<std::byte>& payload = message->payload;
  bytes_ += head.size() + payload.size();
  const bool copied = payload.size() <= small_payload;
  const std::size_t held = head.size() + (copied || own ? payload.size() : 0);
  last.own_bytes += held;
  own_bytes_ += held;
  if (copied) {
    last.front.insert(last.front.end(), payload.begin(), payload.end());
  } else {
    last.body = std::move(message);
  }
}

void Outbox::flush(ByteStream& stream) {
  constexpr std::span<const std::byte> none;
  while (!segments_.empty()) {
    const Segment& first = segments_.front();
    const std::size_t of_front = std::min(sent_, first.front.size());
    const auto front = std::span<const std::byte>(first.front).subspan(of_front);
    const auto body = first.body ? std::span<const std::byte>(first.body->payload).subspan(sent_ - of_front) : none;
    const ByteStream::Transfer out = stream.write_some(front, body);
    if (out.state == ByteStream::State::would_block) return;
    if (out.state != ByteStream::State::moved) {
      clear();
      lost_ = true;
      return;
    }
    bytes_ -= out.bytes;
    sent_ += out.bytes;
    if (out.bytes == front.size() + body.size()) {
      own_bytes_ -= first.own_bytes;
      segments_.pop_front();
      sent_ = 0;
    }
  }
}

void Outbox::clear() noexcept {
  segments_.clear();
  sent_ = bytes_ = own_bytes_ = 0;
}

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
