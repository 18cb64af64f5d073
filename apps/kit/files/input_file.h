// Reads the bytes of an input file in pieces, up to a given number of bytes. Reading a pipe or a device that never ends
// needs no more memory than the requested piece.
//
// If the file is missing, not readable, a folder, or too large, throws an InputError that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/descriptor.h"

namespace sotto::apps {

class InputFile {
 public:
  InputFile(const std::filesystem::path& path, std::uint64_t most_bytes);

  // Reads as many bytes as there are, up to `size`, which must be above 0. Returns 0 only at the end of the file.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Descriptor descriptor_;
};

// Whether the file `path` exists. Throws InputError if the system cannot say, because a folder on the path cannot be
// searched, links form a circle, or the name is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

// Reads the whole file. Throws the errors of InputFile. The function needs no more memory than `limit` bytes and one
// piece.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

// Limits for JSON files that sotto has written and reads again: records of a run, reports of roles.
inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // the report of a role, with an arm for each step
inline constexpr std::size_t most_json_levels = 16;  // most levels of nested arrays and objects; sotto writes five

// Reads a JSON file. `what` names the expected content of the file, such as "the report of a role". Throws InputError
// with file, line and column if the file is no JSON or has too many levels. If the file cannot be read or is larger
// than `most_bytes`, throws an InputError that names the file.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

// Reads the lines of a text file, one at a time. Reading a file of any size needs only the memory for one line.
//
// A line ends with LF or CRLF, and the last line may lack a line end. A byte order mark at the start of the file is no
// part of the first line. All errors are InputError and name the file. TextLines refuses a file that cannot be read, a
// folder, a compressed file, a workbook, a text in UTF-16, an empty file, and a file that is too large. A line that is
// longer than the limit or has a NUL byte causes an error that also has the line number.

// Maximum bytes of a file and of a line, for readers without their own limits. These limits also end the reading of a
// pipe that never ends.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 34;
inline constexpr std::size_t longest_text_line = std::size_t{1} << 24;

// A place in a file for messages: "file:line", or "file:line:cell" with the number of a cell, from 1.
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line);
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line, std::size_t cell);

class TextLines {
 public:
  // `kind` is the expected kind of the file in messages, such as "an ARFF file".
  TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line, std::uint64_t most_bytes);

  // Reads the next line. Returns false at the end of the file.
  [[nodiscard]] bool next();
  // The line that the last next() read, without its line end. The text is valid until the next call of next().
  [[nodiscard]] std::string_view text() const { return text_; }
  // The number of the line, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& file() const { return file_.name(); }
  // Throws the error for an empty file.
  [[noreturn]] void refuse_empty() const;

  // The place of the line that text() returns.
  [[nodiscard]] std::string place() const { return line_place(file(), number_); }
  [[nodiscard]] std::string place(std::size_t cell) const { return line_place(file(), number_, cell); }

 private:
  [[nodiscard]] bool fill();
  [[nodiscard]] bool read_bytes();
  void append(std::string_view piece);

  InputFile file_;
  std::string kind_;
  std::size_t longest_line_;
  std::vector<char> piece_;
  std::string_view rest_;  // the part of piece_ that is not read yet
  std::string text_;
  std::uint64_t number_ = 0;
};

// is_blank() says whether `c` is a space or a tab, and trim() removes spaces and tabs from both ends of a text.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] std::string_view trim(std::string_view text);

// The largest absolute value of a number in a data file. With this limit neither squares of numbers nor sums of squares
// exceed a double.
inline constexpr double largest_cell = 1e30;

// The value of `text` if all of it is a finite decimal number of at most largest_cell in absolute value. Returns
// nothing for any other text.
[[nodiscard]] std::optional<double> cell_number(std::string_view text);

// The digest of a data file, by which the file can be identified later.

// Returns "sha256:" and 64 hex digits. Throws InputError if the file cannot be read.
[[nodiscard]] std::string file_digest(const std::filesystem::path& file);

}  // namespace sotto::apps
