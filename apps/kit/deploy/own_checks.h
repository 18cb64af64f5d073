// What a doctor can check on the role's own machine, without asking anybody.
#pragma once

#include "sotto/apps/kit/deploy/config.h"
#include "sotto/apps/kit/deploy/finding.h"
#include "sotto/net/transport/tls/certificate.h"

namespace sotto::apps {

// Warnings for what makes the run insecure on purpose.
[[nodiscard]] Findings check_security(const RunConfig& run);

// The role's key: there, 0600, of the certificate in [trust], valid at `now` and not only for the
// next 30 days. Nothing with insecure_plaintext.
[[nodiscard]] Findings check_key(const RoleConfig& config, net::WallTime now);

// A party's features, the environment of who gets the rewards: readable, with their shape, and
// fitting the run. Nothing of other roles.
[[nodiscard]] Findings check_data(const RoleConfig& config);

// The folders that the role writes to: the store's, where it keeps a state, and the report's.
[[nodiscard]] Findings check_folders(const RoleConfig& config);

}  // namespace sotto::apps
