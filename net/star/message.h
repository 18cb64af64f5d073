// Messages of a service, with a type and bytes.
//
//     length of the payload  4 bytes, little-endian
//     type                   2
//     zero                   2
//     payload                length
//
// Types from 0xff00 belong to the service itself; programs use the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {

struct Message {
  std::uint16_t type = 0;
  std::vector<std::byte> payload;

  friend bool operator==(const Message&, const Message&) = default;
};

inline constexpr std::size_t message_head_bytes = 8;
inline constexpr std::uint16_t first_own_type = 0xff00;
inline constexpr std::size_t longest_own_payload = 1024;

using MessageHead = std::array<std::byte, message_head_bytes>;

// Throws std::invalid_argument if the payload is too long for the length field of the head.
[[nodiscard]] MessageHead head_of(const Message& message);

// Finds messages in incoming bytes, which come in pieces of any size. The memory is at most twice the bytes that have
// come, whatever length a peer claims.
class MessageParser {
 public:
  MessageParser() = default;
  // A message may have at most `longest` bytes of payload.
  void allow(std::size_t longest) noexcept { longest_ = longest; }

  // Returns nothing if more bytes are needed, or if the bytes are not a message.
  [[nodiscard]] std::optional<Message> next(std::span<const std::byte>& input);

  // The text is empty while there is no fault. After a fault the parser reads no more bytes.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  [[nodiscard]] bool in_message() const noexcept { return head_held_ > 0; }
  [[nodiscard]] std::size_t storage() const noexcept { return message_.payload.capacity(); }

 private:
  bool take_head(std::span<const std::byte>& input);
  bool judge_head();

  std::optional<std::size_t> longest_;
  std::string fault_;
  MessageHead head_{};
  std::size_t head_held_ = 0;
  std::size_t length_ = 0;
  Message message_;
};

// The service's own messages: the greeting with which both ends begin, and the reason with which one end closes the
// connection.
//
// The end that connects greets first, so an unknown peer learns nothing. The end that connects sends no other message
// before it has received a greeting.

inline constexpr std::uint32_t service_version = 1;
inline constexpr std::uint16_t greeting_type = 0xff00;
inline constexpr std::uint16_t close_reason_type = 0xff01;
inline constexpr std::size_t longest_service_name = 64;

struct Greeting {
  std::uint32_t version = service_version;
  std::string service;  // printable
};

[[nodiscard]] Message encode(const Greeting& greeting);
// Only the version is read from a greeting of another version.
[[nodiscard]] std::optional<Greeting> decode_greeting(const Message& message);
// `peer` names the sender of `theirs`.
[[nodiscard]] std::optional<std::string> difference(const Greeting& mine, const Greeting& theirs,
                                                    const std::string& peer);

// The text has no secrets.
struct CloseReason {
  ExitCode code = ExitCode::peer_lost;
  std::string text;
};

[[nodiscard]] Message encode(const CloseReason& word);
// The text of the result is printable and short.
[[nodiscard]] std::optional<CloseReason> decode_close_reason(const Message& message);
// Throws TrustError, DisagreementError, ProtocolError or NetworkError, depending on the code.
[[noreturn]] void throw_closed(const CloseReason& word, const std::string& peer);

}  // namespace sotto::net
