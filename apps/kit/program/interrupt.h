// Flags that signal handlers set.
#pragma once

#include <atomic>

namespace sotto::apps {

[[nodiscard]] std::atomic<bool>& interrupted();

// A second signal ends the process at once, unless it is SIGHUP. SIGHUP stays ignored if it was ignored before.
void catch_interrupts();

// After this call, SIGHUP only sets the returned flag, which asks the daemon to read its files again. To be called
// after catch_interrupts().
[[nodiscard]] std::atomic<bool>& catch_reload();

}  // namespace sotto::apps
