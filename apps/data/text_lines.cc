#include "apps/data/text_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr int first_byte_of_gzip = 0x1f;

}  // namespace

TextLines::TextLines(const std::filesystem::path& path, std::string kind, std::size_t longest_line)
    : file_(path.string()), kind_(std::move(kind)), longest_line_(longest_line) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(file_, fmt::format("this is a folder; {} is needed", kind_));
  }
  errno = 0;
  in_.open(path, std::ios::binary);
  if (!in_) throw InputError(file_, fmt::format("cannot read it: {}", std::strerror(errno)));
  const int first = in_.peek();
  if (first == first_byte_of_gzip) {
    throw InputError(file_, "this file is compressed; unpack it first");
  }
  if (first == std::char_traits<char>::eof()) {
    throw InputError(file_, fmt::format("the file is empty; {} is needed", kind_));
  }
}

bool TextLines::read_bytes() {
  text_.clear();
  for (int c = in_.rdbuf()->sbumpc(); c != std::char_traits<char>::eof();
       c = in_.rdbuf()->sbumpc()) {
    if (c == '\n') return true;
    text_.push_back(static_cast<char>(c));
    if (text_.size() > longest_line_) {
      throw InputError(
          fmt::format("{}:{}", file_, number_ + 1),
          fmt::format("the line is longer than {} bytes; {} is needed", longest_line_, kind_));
    }
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

std::string TextLines::place() const { return fmt::format("{}:{}", file_, number_); }

std::string TextLines::place(std::size_t cell) const {
  return fmt::format("{}:{}:{}", file_, number_, cell);
}

bool parse_whole_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_finite_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace sotto::apps
