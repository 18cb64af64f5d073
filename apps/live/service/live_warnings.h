// What an operator should look at while a role is ready. The log has each of them as it begins, and then once a day;
// the page, /readyz and /v1/status have them as long as they hold.
#pragma once

#include <string>
#include <vector>

#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// How far a service is through the events that it can learn.
enum class LearningShare : std::uint8_t { below, most, nearly_all, ended };
// 80 and 95% of status.steps; `ended` where it has learned them all, or the next batch is larger than what is left.
[[nodiscard]] LearningShare learning_share(const LiveStatus& status);

struct LiveWarning {
  // The same as long as it is the same warning: "learning-80", "learning-95", "learning-ended", "clock", and
  // "certificate" with a blank and the role whose it is.
  std::string name;
  std::string text;  // a line for people; nothing private

  friend bool operator==(const LiveWarning&, const LiveWarning&) = default;
};
[[nodiscard]] std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now);

}  // namespace sotto::apps::live
