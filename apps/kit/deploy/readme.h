// README.txt in the folder of a role: what whoever runs the role does next, in which order.
#pragma once

#include <string>

#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
