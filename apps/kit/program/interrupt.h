// Ctrl-C, SIGTERM, SIGQUIT and the loss of the terminal (SIGHUP), reported by a flag that every loop of the program
// checks.
#pragma once

#include <atomic>

namespace sotto::apps {

// The flag that the handlers of catch_interrupts() set. SIGHUP stays ignored if it was ignored before.
[[nodiscard]] std::atomic<bool>& interrupted();

// Installs the signal handlers. A second signal ends the process at once, in the usual way. A second SIGHUP does not
// end the process, because SIGHUP may come twice.
void catch_interrupts();

// A daemon calls catch_reload() after catch_interrupts(). From then on SIGHUP sets only the returned flag. The flag
// means that the daemon must read its files again. The code that reads the files resets the flag.
[[nodiscard]] std::atomic<bool>& catch_reload();

}  // namespace sotto::apps
