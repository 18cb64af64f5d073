// A file that names the subject of each row of a table: one id per line, in the order of the rows. The file never
// leaves the party that has the table. The party's account stores the ids as keyed hashes (account.h).
//
// `sotto prepare party --id` writes a file of subjects, ROWS.subjects, next to the rows. The first line, "# subjects of
// sha256:...", binds the file to the rows of the table. A file written by hand needs no first line of this form.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

inline constexpr std::size_t longest_subject = 1024;  // maximum bytes of an id

// The path FILE.subjects.
[[nodiscard]] std::filesystem::path subjects_file_of(const std::filesystem::path& table);

// Whether the id can be a line of the file.
[[nodiscard]] bool is_subject(std::string_view id);

// Returns the text of a subjects file for the table whose own file has the contents `contents`.
[[nodiscard]] std::string subjects_text(std::span<const std::string_view> ids, std::string_view contents);

// Reads the ids, which are in the order of the rows. Throws InputError if the file belongs to another table, if the
// number of ids differs from the number of rows, or if an id is empty. Also throws the errors of TextLines.
[[nodiscard]] std::vector<std::string> read_subjects(const std::filesystem::path& file,
                                                     const std::filesystem::path& table, std::size_t rows);

}  // namespace sotto::apps
