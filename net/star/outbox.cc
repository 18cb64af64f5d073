#include "sotto/net/star/outbox.h"

#include <algorithm>
#include <utility>

namespace sotto::net {
namespace {

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

}  // namespace sotto::net
