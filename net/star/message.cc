#include "net/star/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/text/count.h"

namespace sotto::net {
namespace {

template <class Number>
Number number_at(const MessageHead& head, std::size_t at) {
  Number value = 0;
  std::memcpy(&value, head.data() + at, sizeof value);
  return value;
}

}  // namespace

MessageHead head_of(const Message& message) {
  if (message.payload.size() > UINT32_MAX) throw std::invalid_argument("a message has 4 GiB of payload or more");
  MessageHead head{};
  const auto length = static_cast<std::uint32_t>(message.payload.size());
  std::memcpy(head.data(), &length, sizeof length);
  std::memcpy(head.data() + 4, &message.type, sizeof message.type);
  return head;
}

bool MessageParser::take_head(std::span<const std::byte>& input) {
  const std::size_t taken = std::min(input.size(), head_.size() - head_held_);
  std::copy_n(input.begin(), taken, head_.begin() + static_cast<std::ptrdiff_t>(head_held_));
  head_held_ += taken;
  input = input.subspan(taken);
  return head_held_ == head_.size();
}

// Of a head that is whole.
bool MessageParser::judge_head() {
  length_ = number_at<std::uint32_t>(head_, 0);
  message_.type = number_at<std::uint16_t>(head_, 4);
  const bool own = message_.type >= first_own_type;
  if (number_at<std::uint16_t>(head_, 6) != 0) {
    fault_ = "bytes that are no message";
  } else if (!own && !longest_) {
    fault_ = "bytes that are no greeting";
  } else if (const std::size_t most = own ? longest_own_payload : *longest_; length_ > most) {
    fault_ = fmt::format("a message of {}, where {} are the most", counted(length_, "byte"), most);
  }
  return fault_.empty();
}

std::optional<Message> MessageParser::next(std::span<const std::byte>& input) {
  if (!fault_.empty()) return std::nullopt;
  if (head_held_ < head_.size() && (!take_head(input) || !judge_head())) return std::nullopt;
  std::vector<std::byte>& payload = message_.payload;
  const auto part = input.first(std::min(input.size(), length_ - payload.size()));
  if (payload.capacity() < payload.size() + part.size()) {
    payload.reserve(std::min(length_, 2 * (payload.size() + part.size())));
  }
  payload.insert(payload.end(), part.begin(), part.end());
  input = input.subspan(part.size());
  if (payload.size() < length_) return std::nullopt;
  head_held_ = 0;
  return std::exchange(message_, Message{});
}

}  // namespace sotto::net
