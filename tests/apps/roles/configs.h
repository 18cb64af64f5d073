// A config of a party and one of O3M's active participant, which the tests change.
#pragma once

#include <string>

#include "tests/apps/support.h"

namespace sotto::apps {

inline const std::string party_config = R"([run]
session = "0123456789abcdef0123456789abcdef"
parties = 2
steps = 10
arms = 3
insecure_plaintext = true
[role]
name = "party"
id = 1
data = "b.csv"

[peers]
party_0 = "127.0.0.1:7100"
party_1 = "127.0.0.1:7101"
dealer = "127.0.0.1:7104"
)";

inline const std::string active_config = R"([run]
session = "0123456789abcdef0123456789abcdef"
protocol = "o3m"
participants = 3
steps = 10
arms = 3
algorithm = "ts"
mask_generator = 2
acknowledge_leakage = true
insecure_plaintext = true

[role]
name = "active"
contexts = "a.csv"
environment = "rewards.csv"

[peers]
active = "127.0.0.1:7100"
passive_1 = "127.0.0.1:7101"
)";

}  // namespace sotto::apps
