#include "net/star/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
namespace {

template <class Number>
Number number_at(const MessageHead& head, std::size_t at) {
  Number value = 0;
  std::memcpy(&value, head.data() + at, sizeof value);
  return value;
}

constexpr std::string_view magic = "sotto/sv";

bool is_last_code(unsigned code) {
  using enum ExitCode;
  constexpr std::array last{peer_lost, protocol_violation, disagreement, not_trusted};
  return std::find(last.begin(), last.end(), static_cast<ExitCode>(code)) != last.end();
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

Message encode(const Greeting& greeting) {
  ByteWriter writer;
  writer.text(magic);
  writer.number(greeting.version);
  writer.long_text(printable(greeting.service, longest_service_name));
  return Message{greeting_type, writer.take()};
}

std::optional<Greeting> decode_greeting(const Message& message) {
  if (message.type != greeting_type) return std::nullopt;
  ByteReader reader(message.payload);
  reader.expect(magic);
  Greeting greeting;
  greeting.version = reader.number<std::uint32_t>();
  if (!reader.ok()) return std::nullopt;
  if (greeting.version != service_version) return greeting;
  greeting.service = reader.long_text(longest_service_name);
  if (!reader.at_end() || greeting.service != printable(greeting.service)) return std::nullopt;
  return greeting;
}

std::optional<std::string> difference(const Greeting& mine, const Greeting& theirs, const std::string& peer) {
  if (mine.version != theirs.version) {
    return fmt::format("version {} of the service here, {} at {}: install the same sotto at both", mine.version,
                       theirs.version, peer);
  }
  if (mine.service != theirs.service) {
    return fmt::format("{} speaks as the {}, not as the {}: one of the two has a wrong address", peer, theirs.service,
                       mine.service);
  }
  return std::nullopt;
}

Message encode(const CloseReason& word) {
  const bool known = is_last_code(static_cast<unsigned>(word.code));
  ByteWriter writer;
  writer.octet(static_cast<std::uint8_t>(known ? word.code : ExitCode::peer_lost));
  writer.text(printable(word.text));
  return Message{close_reason_type, writer.take()};
}

std::optional<CloseReason> decode_close_reason(const Message& message) {
  if (message.type != close_reason_type || message.payload.empty()) return std::nullopt;
  const auto code = std::to_integer<unsigned>(message.payload.front());
  if (!is_last_code(code)) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(message.payload.data()) + 1, message.payload.size() - 1);
  return CloseReason{static_cast<ExitCode>(code), printable(text)};
}

void throw_closed(const CloseReason& word, const std::string& peer) {
  const std::string text = fmt::format("{} ended the connection: {}", peer, word.text);
  switch (word.code) {
    case ExitCode::not_trusted:
      throw TrustError(peer, text);
    case ExitCode::disagreement:
      throw DisagreementError(text);
    case ExitCode::protocol_violation:
      throw ProtocolError(ProtocolError::Kind::malformed, peer, 0, text);
    default:
      throw NetworkError(peer, text);
  }
}

}  // namespace sotto::net
