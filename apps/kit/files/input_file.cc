#include "apps/kit/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw InputError(name, "cannot read the file: " + std::generic_category().message(error));
}

std::string place(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view read = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  const std::size_t begin = read.rfind('\n') + 1;
  return fmt::format("{}:{}:{}", file, line, read.size() - begin + 1);
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct OtherFormat {
  std::string_view begins;
  std::string_view advice;
};
constexpr std::array<OtherFormat, 5> other_formats{{
    {"\x1f\x8b", "this file is compressed by gzip; unpack it first"},
    {"\x1f", "this file is compressed; unpack it first"},
    {"PK\x03\x04", "this file is a zip archive, as workbooks of Excel are; unpack it, or save the table as CSV"},
    {"\xff\xfe", "this text is in UTF-16; save it in UTF-8"},
    {"\xfe\xff", "this text is in UTF-16; save it in UTF-8"},
}};

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, std::uint64_t most_bytes)
    : name_(path.string()), most_bytes_(most_bytes), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_.get() < 0) fail(name_, errno);
}

std::size_t InputFile::read(char* into, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor_.get(), into, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, errno);
    bytes_ += static_cast<std::uint64_t>(got);
    if (bytes_ > most_bytes_) {
      throw InputError(name_, fmt::format("the file is larger than {} bytes", most_bytes_));
    }
    return static_cast<std::size_t>(got);
  }
}

bool file_exists(const std::filesystem::path& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) throw InputError(path.string(), "cannot be read: " + error.message());
  return found;
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  InputFile file(path, limit);
  std::string contents;
  for (std::size_t size = 0;;) {
    contents.resize(std::min(size + piece, limit + 1));
    const std::size_t got = file.read(contents.data() + size, contents.size() - size);
    size += got;
    if (got > 0) continue;
    contents.resize(size);
    return contents;
  }
}

nlohmann::json read_json(const std::filesystem::path& path, std::string_view what, std::size_t most_bytes) {
  const std::string text = read_file(path, most_bytes);
  const auto check_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth <= static_cast<int>(most_json_levels)) return true;
    throw InputError(path.string(), fmt::format("is not {}: it has more than {} levels", what, most_json_levels));
  };
  try {
    return nlohmann::json::parse(text, check_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(place(path.string(), text, error.byte), fmt::format("is not {}: this is no JSON", what));
  } catch (const nlohmann::json::out_of_range&) {
    throw InputError(path.string(), fmt::format("is not {}: a number in it fits no double", what));
  }
}

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
  for (const auto& [begins, advice] : other_formats) {
    if (rest_.starts_with(begins)) throw InputError(file(), std::string(advice));
  }
}

void TextLines::refuse_empty() const {
  throw InputError(file(), fmt::format("the file is empty; {} is needed", kind_));
}

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

std::string file_digest(const std::filesystem::path& file) {
  InputFile input(file, most_text_bytes);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = hash != nullptr && EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t got = input.read(piece.data(), piece.size())) {
    good = good && EVP_DigestUpdate(hash.get(), piece.data(), got) == 1;
  }
  std::array<std::byte, 32> digest{};
  good = good && EVP_DigestFinal_ex(hash.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  if (!good) throw std::runtime_error("OpenSSL has no SHA-256");
  return "sha256:" + hex(digest);
}

}  // namespace sotto::apps
