#include "apps/cli/version.h"

namespace sotto::apps {

std::string version() { return SOTTO_VERSION; }

}  // namespace sotto::apps
