// Ctrl-C, SIGTERM, SIGQUIT and the loss of the terminal (SIGHUP), as a flag that every loop of the program checks.
#pragma once

#include <atomic>

namespace sotto::apps {

// The flag is set by the handlers that catch_interrupts() installs. SIGHUP stays ignored if it was ignored before.
[[nodiscard]] std::atomic<bool>& interrupted();

// Installs the handlers. A second signal ends the process at once, in the usual way. A second SIGHUP does not, because
// SIGHUP may come twice.
void catch_interrupts();

// For a daemon, after catch_interrupts(): from now on SIGHUP sets only this flag. The flag means that files must be
// read again. The code that reads them resets the flag.
[[nodiscard]] std::atomic<bool>& catch_reload();

}  // namespace sotto::apps
