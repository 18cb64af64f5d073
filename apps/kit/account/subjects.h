// A file that says whom each row of a table is about: an id a line, in the order of the rows. It never leaves the party
// that has the table; the party's account knows the ids by keyed hashes (account.h).
//
// `sotto prepare party --id` writes one next to its rows, ROWS.subjects. Its first line binds it to these rows:
// "# subjects of sha256:...". A file that is written by hand needs no such line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

inline constexpr std::size_t longest_subject = 1024;  // bytes of an id

// FILE.subjects.
[[nodiscard]] std::filesystem::path subjects_file_of(const std::filesystem::path& table);

// Whether a line can hold it.
[[nodiscard]] bool is_subject(std::string_view id);

// The text of the file, for a table of these contents.
[[nodiscard]] std::string subjects_text(std::span<const std::string_view> ids, std::string_view contents);

// The ids, in the order of rows. Throws InputError where the file is of another table, has another number of ids than
// the table has rows, or an empty one, and as TextLines does.
[[nodiscard]] std::vector<std::string> read_subjects(const std::filesystem::path& file,
                                                     const std::filesystem::path& table, std::size_t rows);

}  // namespace sotto::apps
