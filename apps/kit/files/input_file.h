// The bytes of an input file in pieces. A file, a pipe or a device that never ends only takes the memory of the
// requested piece, and is read up to a given number of bytes.
//
// Throws InputError that names the file if it is missing, not readable, a folder, or too large.
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

// Whether a file of that name exists. Throws InputError if the system cannot say: a folder on the path cannot be
// searched, links form a circle, or the name is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

// Reads the whole file. The errors are those of InputFile. It takes no more memory than `limit` and a piece.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

// Limits for JSON files that sotto has written and reads again: records of a run, reports of roles.
inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // the report of a role, with an arm for each step
inline constexpr std::size_t most_json_levels = 16;  // nested arrays and objects; sotto writes five levels

// `what` names the expected content of the file ("the report of a role"). Throws InputError with file, line and column
// if the file is no JSON or has too many levels. Throws InputError that names the file if it cannot be read or is
// larger than `most_bytes`.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

// The lines of a text file, one at a time. A file of any size needs the memory of one line.
//
// A line ends with LF or CRLF, and the last line may lack its end. A byte order mark at the start of the file is no
// part of the first line. Errors are InputError and name the file. They concern a file that cannot be read, a folder, a
// compressed file, a workbook, a text in UTF-16, and a file without bytes or with too many bytes. An error with the
// line number concerns a line that is longer than the limit or has a NUL byte, which no text has.

// Maximum bytes of a file and of a line, for readers without their own limits. They also end the reading of a pipe that
// never ends.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 34;
inline constexpr std::size_t longest_text_line = std::size_t{1} << 24;

// The place "file:line". With a cell, counted from 1, the place is "file:line:cell".
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line);
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line, std::size_t cell);

class TextLines {
 public:
  // `kind` is the expected kind of the file in messages, such as "an ARFF file".
  TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line, std::uint64_t most_bytes);

  // Reads the next line. Returns false at the end of the file.
  [[nodiscard]] bool next();
  // The line of the last next(), without its end. It is valid until the following next().
  [[nodiscard]] std::string_view text() const { return text_; }
  // The number of the line, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& file() const { return file_.name(); }
  // Throws the error that the file is empty.
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
  std::string_view rest_;  // the part of the piece that is not read yet
  std::string text_;
  std::uint64_t number_ = 0;
};

// is_blank() says whether `c` is a space or a tab. The other function removes spaces and tabs from both ends of a text.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] std::string_view trim(std::string_view text);

// No number in a file of data is larger in size than this. So neither squares of numbers nor sums of squares exceed a
// double.
inline constexpr double largest_cell = 1e30;

// The value if all of `text` is a decimal number that is finite and at most largest_cell in size. Nothing for any other
// text.
[[nodiscard]] std::optional<double> cell_number(std::string_view text);

// The digest of a file of data. It identifies the file later.

// "sha256:" and 64 hex digits. Throws InputError if the file cannot be read.
[[nodiscard]] std::string file_digest(const std::filesystem::path& file);

}  // namespace sotto::apps
