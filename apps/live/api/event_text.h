// The id of an event has 128 bits. Clients write 32 lower-case hex digits, or a UUID, which has the same digits with
// dashes. Answers always use the 32 digits without dashes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/kit/http/json_body.h"
#include "apps/kit/http/request.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t event_digits = 32;

[[nodiscard]] std::string event_text(const EventId& event);
[[nodiscard]] std::optional<EventId> parse_event(std::string_view text);
// Throws ProblemError: 400.
[[nodiscard]] EventId event_of(const Request& request);
// Returns nothing if the field "event" is missing. Throws JsonError.
[[nodiscard]] std::optional<EventId> event_of(JsonFields& fields);

// 128 random bits from the operating system. Throws ResourceError if the system gives no random bits.
[[nodiscard]] EventId fresh_event();

}  // namespace sotto::apps::live
