// The version that is built: the project's, as the build system knows it.
#pragma once

#include <string>

namespace sotto::apps {

[[nodiscard]] std::string version();

}  // namespace sotto::apps
