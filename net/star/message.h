// Messages of a service: a type, and bytes that mean what that type says. And how they are cut out of a stream of
// bytes.
//
//     length of the payload  4 bytes, little-endian
//     type                   2
//     zero                   2
//     payload                length
//
// Types from 0xff00 belong to the service itself; programs have the others.
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
// No payload of the service's own is longer.
inline constexpr std::size_t longest_own_payload = 1024;

using MessageHead = std::array<std::byte, message_head_bytes>;

// Throws std::invalid_argument if the payload has more bytes than the head can say.
[[nodiscard]] MessageHead head_of(const Message& message);

// Cuts messages out of bytes as they come, in pieces of any size. What a peer claims about a length allocates nothing:
// storage at most doubles over the bytes that have come.
class MessageParser {
 public:
  // Until allow() no message of a program is taken.
  MessageParser() = default;
  // From now on messages of the program's types, of at most so many bytes of payload.
  void allow(std::size_t longest) noexcept { longest_ = longest; }

  // The next message, off the front of `input`, which then begins behind it; nothing if all of `input` was taken and
  // more is needed, or if what came is no message.
  [[nodiscard]] std::optional<Message> next(std::span<const std::byte>& input);

  // Once not empty, for good: why what came is no message, as in "a message of 4294967295 bytes, where 1048576 are the
  // most". No bytes of it are taken any more.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  // Whether a message has begun that is not whole.
  [[nodiscard]] bool in_message() const noexcept { return head_held_ > 0; }
  // Bytes that are set aside for the message so far.
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

// The service's own messages: the greeting with which both ends begin, and the reason for which one closes the
// connection.
//
// Whoever connects greets first, so that an unknown peer learns nothing, and sends nothing else before it is greeted. A
// service and a client that are not of one kind, or speak two versions, both learn what the other is.

inline constexpr std::uint32_t service_version = 1;
inline constexpr std::uint16_t greeting_type = 0xff00;
inline constexpr std::uint16_t close_reason_type = 0xff01;
inline constexpr std::size_t longest_service_name = 64;

struct Greeting {
  std::uint32_t version = service_version;
  std::string service;  // printable
};

[[nodiscard]] Message encode(const Greeting& greeting);
// Nothing if it is no greeting. Of one of another version only the version is read.
[[nodiscard]] std::optional<Greeting> decode_greeting(const Message& message);
// What keeps the two from working together, in one phrase; nothing if they can. `peer` says who sent `theirs`.
[[nodiscard]] std::optional<std::string> difference(const Greeting& mine, const Greeting& theirs,
                                                    const std::string& peer);

// Why an end ends the connection: an exit code, and a line of text without secrets.
struct CloseReason {
  ExitCode code = ExitCode::peer_lost;
  std::string text;
};

[[nodiscard]] Message encode(const CloseReason& word);
// Nothing if it is none. The text is printable and short.
[[nodiscard]] std::optional<CloseReason> decode_close_reason(const Message& message);
// The error of its code: TrustError, DisagreementError, ProtocolError, else NetworkError.
[[noreturn]] void throw_closed(const CloseReason& word, const std::string& peer);

}  // namespace sotto::net
