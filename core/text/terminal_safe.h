// Text of others on its way to a terminal: names and contents of files, arguments, messages of peers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

// The length of the UTF-8 sequence that starts at `at`, 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

// The text as one line that moves no cursor, paints nothing and stands in the order in which it is written: control
// characters as \n, \t, \x1b or \u009b, marks that turn the direction of text as \u202e, bytes that are no UTF-8 as
// \x9b. All else is kept, so that doing it twice does it once.
[[nodiscard]] std::string terminal_safe(std::string_view text);
// The same of text from a peer, cut between two characters to at most `longest` bytes.
[[nodiscard]] std::string terminal_safe(std::string_view text, std::size_t longest);

// Text from a peer with everything but printable ASCII replaced, cut to `longest` characters: safe to show on a
// terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 512);

}  // namespace sotto
