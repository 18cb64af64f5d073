// Text from outside that goes to a terminal: names and contents of files, arguments, messages of peers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

// The length of the UTF-8 sequence that starts at `at`; 0 if no sequence starts there.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

// The text as one line that moves no cursor, sets no colours and appears in the order in which it is written. Control
// characters become \n, \t, \x1b or \u009b. Marks that change the direction of text become \u202e, and bytes that are
// not UTF-8 become \x9b. Everything else is kept, so that a second call changes nothing.
[[nodiscard]] std::string terminal_safe(std::string_view text);
// terminal_safe() for text from a peer: the text is also cut, between two characters, to at most `longest` bytes.
[[nodiscard]] std::string terminal_safe(std::string_view text, std::size_t longest);

// Text from a peer with everything except printable ASCII replaced, cut to `longest` characters: safe to show on a
// terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 512);

}  // namespace sotto
