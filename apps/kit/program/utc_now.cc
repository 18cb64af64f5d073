#include "sotto/apps/kit/program/utc_now.h"

namespace sotto::apps {

std::string utc_text(std::time_t time) {
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace sotto::apps
