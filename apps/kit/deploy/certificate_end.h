// Warnings before a certificate ends. Those that were made together end together, and a service then stops at all
// roles.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sotto/protocol/transport/tls/certificate.h"

namespace sotto::apps {

// Time to make a key and to tell the other organisations its fingerprint.
inline constexpr std::chrono::hours certificate_warning_time{60 * 24};

// "the certificate of party 1 ends on 2026-03-01 12:00:00 UTC, in 41 days"; nothing while more than
// certificate_warning_time is left. `whose` is "party 1", or "this role".
[[nodiscard]] std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until,
                                                         net::WallTime now);

}  // namespace sotto::apps
