// A file that names the subject of each row of a table: one id per line, in the order of the rows. The file never
// leaves the party that has the table. The party's account knows the ids by keyed hashes (account.h).
//
// `sotto prepare party --id` writes such a file, ROWS.subjects, next to its rows. The first line binds the file to
// these rows: "# subjects of sha256:...". A file written by hand needs no such line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

inline constexpr std::size_t longest_subject = 1024;  // bytes of an id

// The path FILE.subjects.
[[nodiscard]] std::filesystem::path subjects_file_of(const std::filesystem::path& table);

// Whether a line can hold the id.
[[nodiscard]] bool is_subject(std::string_view id);

// The text of the file, for a table of these contents.
[[nodiscard]] std::string subjects_text(std::span<const std::string_view> ids, std::string_view contents);

// The ids in the order of the rows. Throws InputError if the file belongs to another table, if the number of ids
// differs from the number of rows, or if an id is empty. Throws the errors of TextLines too.
[[nodiscard]] std::vector<std::string> read_subjects(const std::filesystem::path& file,
                                                     const std::filesystem::path& table, std::size_t rows);

}  // namespace sotto::apps
