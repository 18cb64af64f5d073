#include "sotto/apps/kit/files/text_lines.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr char first_byte_of_gzip = 0x1f;

}  // namespace

std::string line_place(const std::string& file, std::uint64_t line) { return fmt::format("{}:{}", file, line); }

std::string line_place(const std::string& file, std::uint64_t line, std::size_t cell) {
  return fmt::format("{}:{}:{}", file, line, cell);
}

TextLines::TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line,
                     std::uint64_t most_bytes)
    : file_(path, most_bytes), kind_(std::move(kind)), longest_line_(longest_line), piece_(1 << 16) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(file(), fmt::format("this is a folder; {} is needed", kind_));
  }
  if (!fill()) refuse_empty();
  if (rest_.front() == first_byte_of_gzip) {
    throw InputError(file(), "this file is compressed; unpack it first");
  }
}

void TextLines::refuse_empty() const {
  throw InputError(file(), fmt::format("the file is empty; {} is needed", kind_));
}

// The next piece; false at the end of the file.
bool TextLines::fill() {
  rest_ = {piece_.data(), file_.read(piece_.data(), piece_.size())};
  return !rest_.empty();
}

void TextLines::append(std::string_view piece) {
  const auto place_of_it = [&] { return line_place(file(), number_ + 1); };
  if (piece.find('\0') != std::string_view::npos) {
    throw InputError(place_of_it(),
                     fmt::format("there is a NUL byte, so this is no text, or not in UTF-8; {} is needed", kind_));
  }
  if (piece.size() > longest_line_ - text_.size()) {
    throw InputError(place_of_it(),
                     fmt::format("the line is longer than {} bytes; {} is needed", longest_line_, kind_));
  }
  text_ += piece;
}

bool TextLines::read_bytes() {
  text_.clear();
  while (!rest_.empty() || fill()) {
    const std::size_t end = rest_.find('\n');
    append(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end != std::string_view::npos) return true;
  }
  return !text_.empty();
}

bool TextLines::next() {
  if (!read_bytes()) return false;
  if (++number_ == 1 && text_.starts_with(byte_order_mark)) {
    text_.erase(0, byte_order_mark.size());
  }
  if (text_.ends_with('\r')) text_.pop_back();
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> cell_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto value = number_of<double>(text);
  return value && std::abs(*value) <= largest_cell ? value : std::nullopt;
}

}  // namespace sotto::apps
