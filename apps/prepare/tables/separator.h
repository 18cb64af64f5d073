// What separates the cells of a table: commas, semicolons, tabs or pipes, as its first lines say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps::prepare {

inline constexpr std::string_view table_separators = ",;\t|";

// Of a line "sep=;" before the header, as spreadsheets write and read it; nothing of any other line. `where` is its
// place. Throws InputError where it names none of the separators.
[[nodiscard]] std::optional<char> told_separator(std::string_view line, const std::string& where);

// The separator that the first line has outside of quotes; where it has several, the one by which the second line has
// as many cells, or by far the most. Throws InputError where that is not clear, or where blanks separate. `second` may
// be empty.
[[nodiscard]] char separator_of(std::string_view first, std::string_view second, const std::string& where);

// How many cells a line has.
[[nodiscard]] std::size_t cells_of(std::string_view line, char separator);

}  // namespace sotto::apps::prepare
