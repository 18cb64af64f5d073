// The service's own messages: the greeting with which both ends begin, and the reason for which one closes the
// connection.
//
// Whoever connects greets first, so that an unknown peer learns nothing, and sends nothing else before it is greeted. A
// service and a client that are not of one kind, or speak two versions, both learn what the other is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/star/message.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {

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
