// Messages of a service, and the parser that cuts them out of a stream of bytes. A message is a type and bytes; the
// type says what the bytes mean.
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
// The longest payload of the service's own messages.
inline constexpr std::size_t longest_own_payload = 1024;

using MessageHead = std::array<std::byte, message_head_bytes>;

// Throws std::invalid_argument if the payload is too long for the length field of the head.
[[nodiscard]] MessageHead head_of(const Message& message);

// Cuts messages out of incoming bytes, which come in pieces of any size. The parser does not allocate memory for the
// length that a peer claims: its storage is at most twice the bytes that have come.
class MessageParser {
 public:
  // Accepts no message of a program before allow().
  MessageParser() = default;
  // After this call the parser accepts messages of the program's types, with at most `longest` bytes of payload.
  void allow(std::size_t longest) noexcept { longest_ = longest; }

  // Takes the next message off the front of `input`; the rest of `input` stays. Returns nothing if all of `input` was
  // taken and more bytes are needed, or if the bytes are not a message.
  [[nodiscard]] std::optional<Message> next(std::span<const std::byte>& input);

  // The reason why bytes are not a message, such as "a message of 4294967295 bytes, where 1048576 are the most". The
  // reason is empty while there is no fault. After a fault the parser takes no more bytes.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  // Whether a message has begun and is not complete.
  [[nodiscard]] bool in_message() const noexcept { return head_held_ > 0; }
  // The bytes of memory set aside for the message so far.
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
// The end that connects greets first, so that an unknown peer learns nothing. The end that connects sends nothing else
// before it has received a greeting. If a service and a client are of different kinds or versions, both ends learn the
// kind and the version of their peer.

inline constexpr std::uint32_t service_version = 1;
inline constexpr std::uint16_t greeting_type = 0xff00;
inline constexpr std::uint16_t close_reason_type = 0xff01;
inline constexpr std::size_t longest_service_name = 64;

struct Greeting {
  std::uint32_t version = service_version;
  std::string service;  // printable
};

[[nodiscard]] Message encode(const Greeting& greeting);
// Returns nothing if the message is not a greeting. Only the version is read from a greeting of another version.
[[nodiscard]] std::optional<Greeting> decode_greeting(const Message& message);
// The reason why the two ends cannot work together, in one phrase; nothing if they can. `peer` names the sender of
// `theirs`.
[[nodiscard]] std::optional<std::string> difference(const Greeting& mine, const Greeting& theirs,
                                                    const std::string& peer);

// The reason why an end closes the connection: an exit code, and a line of text without secrets.
struct CloseReason {
  ExitCode code = ExitCode::peer_lost;
  std::string text;
};

[[nodiscard]] Message encode(const CloseReason& word);
// Returns nothing if the message is not a close reason. The text of the reason is printable and short.
[[nodiscard]] std::optional<CloseReason> decode_close_reason(const Message& message);
// Throws the error that belongs to the code, either TrustError, DisagreementError or ProtocolError. For any other code,
// throws NetworkError.
[[noreturn]] void throw_closed(const CloseReason& word, const std::string& peer);

}  // namespace sotto::net
