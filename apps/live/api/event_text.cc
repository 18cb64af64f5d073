#include "apps/live/api/event_text.h"

#include <algorithm>

#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

constexpr const char* event_wanted =
    "an event is 32 hex digits in lower case, or a UUID such as "
    "5f0c1e2d-3b4a-5968-7786-a5b4c3d2e1f0, which are the same without dashes";
constexpr std::size_t longest_wrong = 256;

std::string without_dashes(std::string_view text) {
  std::string digits(text);
  if (text.size() != event_digits + 4) return digits;
  for (const std::size_t dash : {8, 12, 16, 20}) {
    if (digits[dash] != '-') return digits;
    digits.erase(dash, 1);
  }
  return digits;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string event_text(const EventId& event) { return hex(event); }

std::optional<EventId> parse_event(std::string_view given) {
  const std::string text = without_dashes(given);
  if (text.size() != event_digits) return std::nullopt;
  EventId event{};
  for (std::size_t i = 0; i < event.size(); ++i) {
    const int high = digit_of(text[2 * i]);
    const int low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    event[i] = static_cast<std::byte>(16 * high + low);
  }
  return event;
}

EventId event_of(const Request& request) {
  const auto event = parse_event(request.capture("event"));
  if (!event) throw ProblemError({400, "bad-event", "The path names no event", event_wanted, {}, {}});
  return *event;
}

std::optional<EventId> event_of(JsonFields& fields) {
  const auto text = fields.text("event", longest_wrong);
  if (!text) return std::nullopt;
  const auto event = parse_event(*text);
  if (!event) fields.refuse("event", event_wanted);
  return event;
}

EventId fresh_event() {
  const Seed seed = Seed::from_os();
  EventId event{};
  std::ranges::copy(seed.expose(), event.begin());
  return event;
}

}  // namespace sotto::apps::live
