// The time, as reports tell it.
#pragma once

#include <ctime>
#include <string>

namespace sotto::apps {

// "2026-01-31T10:45:02Z".
[[nodiscard]] std::string utc_text(std::time_t time);
[[nodiscard]] std::string utc_now();

}  // namespace sotto::apps
