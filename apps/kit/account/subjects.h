// A file with the subject of each row of a table: one id per line, in the order of the rows. The file never leaves the
// party that has the table.
//
// The optional first line, "# subjects of sha256:...", binds the file to the contents of the table's file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

inline constexpr std::size_t longest_subject = 1024;  // bytes

// The path TABLE.subjects.
[[nodiscard]] std::filesystem::path subjects_file_of(const std::filesystem::path& table);

[[nodiscard]] bool is_subject(std::string_view id);

[[nodiscard]] std::string subjects_text(std::span<const std::string_view> ids, std::string_view contents);

// Throws InputError if the file belongs to another table, if the number of ids is not `rows`, or if an id is empty.
// Also throws the errors of TextLines.
[[nodiscard]] std::vector<std::string> read_subjects(const std::filesystem::path& file,
                                                     const std::filesystem::path& table, std::size_t rows);

}  // namespace sotto::apps
