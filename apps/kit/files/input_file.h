// Reads an input file in pieces. Throws an InputError that names the file if the file is missing, not readable, a
// folder, or larger than `most_bytes`. Reading a pipe that never ends needs only the memory of one piece.
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

  // Returns 0 only at the end of the file.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Descriptor descriptor_;
};

[[nodiscard]] bool file_exists(const std::filesystem::path& path);

[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // a role's report
inline constexpr std::size_t most_json_levels = 16;  // nested arrays and objects; sotto writes five levels

// Throws InputError with file, line and column if the file is no JSON or has too many levels.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

// Reads the lines of a text file, one at a time.
//
// A line ends with LF or CRLF, and the last line may lack a line end. A byte order mark at the start is ignored.
// TextLines refuses a file that cannot be read, a folder, a compressed file, a workbook, UTF-16, an empty file, and a
// file that is too large. All errors are InputError and name the file, and the line if a line is too long or has a NUL
// byte.

// These limits are in bytes, for readers without limits of their own.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 34;
inline constexpr std::size_t longest_text_line = std::size_t{1} << 24;

// Lines and cells count from 1.
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line);
[[nodiscard]] std::string line_place(const std::string& file, std::uint64_t line, std::size_t cell);

class TextLines {
 public:
  TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line, std::uint64_t most_bytes);

  [[nodiscard]] bool next();
  // The text is valid until the next call of next().
  [[nodiscard]] std::string_view text() const { return text_; }
  // counts from 1
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& file() const { return file_.name(); }
  [[noreturn]] void refuse_empty() const;

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
  std::string_view rest_;
  std::string text_;
  std::uint64_t number_ = 0;
};

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] std::string_view trim(std::string_view text);

// With this limit, sums of squares do not overflow a double.
inline constexpr double largest_cell = 1e30;

// Accepts only finite decimal numbers of at most largest_cell in absolute value.
[[nodiscard]] std::optional<double> cell_number(std::string_view text);

// The result is "sha256:" and 64 hex digits.
[[nodiscard]] std::string file_digest(const std::filesystem::path& file);

}  // namespace sotto::apps
