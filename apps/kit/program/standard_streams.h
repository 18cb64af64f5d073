// stdout of the command: output that is lost there is an error of the command, wherever it was printed. main() calls
// these two; in between, commands print as they like.
#pragma once

#include <string>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

// At the very start. A stdin, stdout or stderr that is closed is held by /dev/null, so that no file or connection gets
// its number and what was meant for a terminal. Writing to a stdout that was closed fails all the same.
void hold_standard_streams();

// At the end. Throws ResourceError where anything that was printed could not be written.
void finish_standard_output();

// Whether something that was printed could not be written so far, and the error that says so; `why` is what the system
// said, or nothing.
[[nodiscard]] bool standard_output_failed() noexcept;
[[nodiscard]] ResourceError output_lost(const std::string& why);

}  // namespace sotto::apps
