#include "sotto/apps/kit/program/version.h"

namespace sotto::apps {

std::string version() { return SOTTO_VERSION; }

}  // namespace sotto::apps
