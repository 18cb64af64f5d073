// Makes text from outside safe to print on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

// The length of the UTF-8 sequence at `at`; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

// The text as one line, which moves no cursor, sets no colours and appears in its written order. Replaces control
// characters by texts such as \n or \x1b, direction marks by texts such as \u202e, and bytes that are not UTF-8 by
// texts such as \x9b.
[[nodiscard]] std::string terminal_safe(std::string_view text);
// For text from a peer: also cuts the text, between two characters, to at most `longest` bytes.
[[nodiscard]] std::string terminal_safe(std::string_view text, std::size_t longest);

// Replaces everything except printable ASCII, and cuts the text to `longest` characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 512);

}  // namespace sotto
