// Ctrl-C and SIGTERM, as a flag that every loop of the program looks at.
#pragma once

#include <atomic>

namespace sotto::apps {

// Set by the handlers of SIGINT and SIGTERM, which catch_interrupts() installs.
[[nodiscard]] std::atomic<bool>& interrupted();

// A second signal ends the process at once, in the usual way.
void catch_interrupts();

}  // namespace sotto::apps
