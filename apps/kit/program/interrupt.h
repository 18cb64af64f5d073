// Ctrl-C, SIGTERM, SIGQUIT and a terminal that is gone (SIGHUP), as a flag that every loop of the program looks at.
#pragma once

#include <atomic>

namespace sotto::apps {

// Set by the handlers that catch_interrupts() installs. SIGHUP stays ignored where it was.
[[nodiscard]] std::atomic<bool>& interrupted();

// A second signal ends the process at once, in the usual way; SIGHUP does not, which comes twice.
void catch_interrupts();

// For a daemon, after catch_interrupts(): from now on SIGHUP sets this flag alone, which says that files are to be read
// again. Whoever reads them resets it.
[[nodiscard]] std::atomic<bool>& catch_reload();

}  // namespace sotto::apps
