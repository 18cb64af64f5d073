// The bytes of an input file in pieces, whatever it is: a file, a pipe or a device that never ends takes the memory of
// the piece that is asked for, and is read up to a stated number of bytes.
//
// Throws InputError that names the file: it is missing, not readable, a folder, or larger.
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

  // As many as there are up to `size`, which is above 0; none at the end of the file alone.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Descriptor descriptor_;
};

// Whether there is something of that name. Throws InputError where the system does not say: a folder on the way cannot
// be searched, links lead round in a circle, the name is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

// The whole file, with the same errors; it takes no more memory than `limit` and a piece.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

// Of JSON files that sotto has written and reads again: records of a run, reports of roles.
inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // of a role, with an arm a step
inline constexpr std::size_t most_json_levels = 16;                  // of arrays and objects; sotto writes five

// `what` is what the file should be: "the report of a role". Throws InputError with file, line and column where it is
// no JSON or deeper, and that names the file where it cannot be read or is larger than `most_bytes`.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

// The lines of a text file, one at a time: a file of any size needs the memory of one line.
//
// A line ends with LF or CRLF, the last one may lack its end; a byte order mark at the start of the file is no part of
// the first line. Errors are InputError and name the file: what cannot be read, a folder, a compressed file,
// a workbook, a text in UTF-16, a file without bytes or with too many, and, with its number, a line longer than the
// limit or with a NUL byte, which no text has.

// Bytes of a file (a pipe that never ends is not read for ever) and of a line, for readers without limits of their own.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 34;
inline constexpr std::size_t longest_text_line = std::size_t{1} << 24;

// "file:line"; "file:line:cell" with `cell` counted from 1.
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line);
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line, std::size_t cell);

class TextLines {
 public:
  // `kind` is what the file should be, for messages: "an ARFF file".
  TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line, std::uint64_t most_bytes);

  // Reads the next line; false at the end of the file.
  [[nodiscard]] bool next();
  // Of the last next(), without its end; valid until the next one.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Its number, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& file() const { return file_.name(); }
  // Throws that the file is empty.
  [[noreturn]] void refuse_empty() const;

  // Of that line.
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
  std::string_view rest_;  // of the piece
  std::string text_;
  std::uint64_t number_ = 0;
};

// Spaces and tabs; and a text without those at its ends.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] std::string_view trim(std::string_view text);

// No number in a file of data is larger in size than this, so that neither squares of numbers nor sums of squares are
// beyond a double.
inline constexpr double largest_cell = 1e30;

// A decimal number that is finite and at most largest_cell in size, of the whole of `text`; nothing for anything else.
[[nodiscard]] std::optional<double> cell_number(std::string_view text);

// The digest of a file of data, by which it is known again.

// "sha256:" and 64 hex digits. Throws InputError where the file cannot be read.
[[nodiscard]] std::string file_digest(const std::filesystem::path& file);

}  // namespace sotto::apps
