#include "apps/kit/deploy/certificate_end.h"

#include <fmt/format.h>

#include "core/text/count.h"

namespace sotto::apps {

std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until, net::WallTime now) {
  if (until >= now + certificate_warning_time) return std::nullopt;
  const std::string what = fmt::format("the certificate of {} ", whose);
  if (until < now) return what + "ended on " + net::date_text(until);
  const auto days = std::chrono::duration_cast<std::chrono::hours>(until - now).count() / 24;
  return what + fmt::format("ends on {}, in {}", net::date_text(until), counted(static_cast<std::size_t>(days), "day"));
}

}  // namespace sotto::apps
