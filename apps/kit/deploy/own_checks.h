// What a doctor can check on the role's own machine, without asking anybody.
#pragma once

#include <filesystem>

#include "sotto/apps/kit/deploy/finding.h"
#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/net/transport/tls/certificate.h"

namespace sotto::apps {

// Warnings for what makes the run insecure on purpose.
[[nodiscard]] Findings check_security(const Settings& config);

// Valid at `now`, and not only for the next 30 days.
[[nodiscard]] Finding check_certificate(const net::Certificate& certificate, net::WallTime now);

// The role's key: there, 0600, of the certificate in [trust], valid at `now` and not only for the next 30 days. Nothing
// with insecure_plaintext.
[[nodiscard]] Findings check_key(const RoleSettings& config, net::WallTime now);

// The folder of a role's store.
[[nodiscard]] Finding check_state(const std::filesystem::path& state);

// Where the report goes.
[[nodiscard]] Findings check_folders(const RoleSettings& config);

}  // namespace sotto::apps
