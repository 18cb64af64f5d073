// What the program says to people, on stderr.
#pragma once

#include <string_view>

namespace sotto::apps {

// One line, as terminal_safe() shows it, so that no name of a file or word of a peer moves the cursor. Never fails:
// where stderr is full, closed or a pipe that nobody reads any more, the line is lost and the program goes on, since no
// run may end because of its log. SIGPIPE must be ignored.
void say(std::string_view line) noexcept;

// The same without the end of a line, for what is drawn over again on a terminal.
void say_part(std::string_view text) noexcept;

}  // namespace sotto::apps
