// Messages of a service: a type, and bytes that mean what that type says. And how they are cut out of a stream of
// bytes.
//
//     length of the payload  4 bytes, little-endian
//     type                   2
//     zero                   2
//     payload                length
//
// Types from 0xff00 belong to the service itself (net/star/greeting.h); programs have the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

}  // namespace sotto::net
