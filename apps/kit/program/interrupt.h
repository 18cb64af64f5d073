// Ctrl-C, SIGTERM, SIGQUIT and a terminal that is gone (SIGHUP), as a flag that every loop of the program looks at.
#pragma once

#include <atomic>

namespace sotto::apps {

// Set by the handlers that catch_interrupts() installs. SIGHUP stays ignored where it was.
[[nodiscard]] std::atomic<bool>& interrupted();

// A second signal ends the process at once, in the usual way; SIGHUP does not, which comes twice.
void catch_interrupts();

}  // namespace sotto::apps
