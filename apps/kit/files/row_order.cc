#include "apps/kit/files/row_order.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include "apps/kit/files/input_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

constexpr std::string_view first_line = "sotto row order 1\n";
constexpr std::string_view order_key = "order ";
constexpr std::string_view file_key = "file sha256:";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t longest_order_file = 4096;

std::string sha256_hex(std::string_view text) { return hex(net::sha256(text)); }

std::optional<std::string> take_digest(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.size() <= key.size() + digest_digits) return std::nullopt;
  const std::string_view digits = text.substr(key.size(), digest_digits);
  if (!is_order_digest(digits) || text[key.size() + digest_digits] != '\n') return std::nullopt;
  text.remove_prefix(key.size() + digest_digits + 1);
  return std::string(digits);
}

constexpr utf8proc_int32_t next_line = 0x85;

struct Freed {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

[[noreturn]] void refuse_bytes() { throw InputError("an id is not in UTF-8"); }

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

unsigned options_of(const IdForm& form) {
  unsigned options = 0;
  if (form.unicode != UnicodeForm::as_written) options |= UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (form.unicode == UnicodeForm::nfkc) options |= UTF8PROC_COMPAT;
  if (form.letters == IdCase::fold) options |= UTF8PROC_CASEFOLD;
  return options;
}

std::string mapped(std::string_view id, unsigned options) {
  if (options == 0 || id.empty()) return std::string(id);
  utf8proc_uint8_t* raw = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(bytes_of(id), static_cast<utf8proc_ssize_t>(id.size()), &raw,
                                             static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, Freed> text(raw);
  if (size == UTF8PROC_ERROR_NOMEM || size == UTF8PROC_ERROR_OVERFLOW) throw std::bad_alloc();
  if (size < 0) refuse_bytes();
  return {reinterpret_cast<const char*>(text.get()), static_cast<std::size_t>(size)};
}

bool is_white(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return (point >= '\t' && point <= '\r') || point == next_line;
  }
}

std::string without_blanks(std::string_view id, IdBlanks blanks) {
  std::string result;
  result.reserve(id.size());
  std::size_t run = 0;
  for (std::size_t at = 0; at < id.size();) {
    utf8proc_int32_t point = 0;
    const std::string_view rest = id.substr(at);
    const utf8proc_ssize_t size = utf8proc_iterate(bytes_of(rest), static_cast<utf8proc_ssize_t>(rest.size()), &point);
    if (size <= 0) refuse_bytes();
    const std::size_t next = at + static_cast<std::size_t>(size);
    if (!is_white(point)) {
      if (!result.empty() && run < at) {
        if (blanks == IdBlanks::ends) result += id.substr(run, at - run);
        if (blanks == IdBlanks::one) result += ' ';
      }
      result += id.substr(at, next - at);
      run = next;
    }
    at = next;
  }
  return result;
}

}  // namespace

std::string order_digest(std::span<const std::string_view> ids) {
  std::string text = fmt::format("{}\n", ids.size());
  for (const std::string_view id : ids) text += fmt::format("{} {}\n", id.size(), id);
  return sha256_hex(text);
}

std::filesystem::path order_file_of(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  path += ".order";
  return path;
}

std::string order_text(const std::string& digest, std::string_view contents) {
  return fmt::format("{}{}{}\n{}{}\n", first_line, order_key, digest, file_key, sha256_hex(contents));
}

std::optional<std::string> read_order(const std::filesystem::path& file) {
  const std::filesystem::path path = order_file_of(file);
  if (!file_exists(path)) return std::nullopt;
  const std::string text = read_file(path, longest_order_file);
  std::string_view rest = text;
  const bool begins = rest.starts_with(first_line);
  if (begins) rest.remove_prefix(first_line.size());
  auto order = take_digest(rest, order_key);
  const auto contents = take_digest(rest, file_key);
  if (!begins || !order || !contents || !rest.empty()) {
    throw InputError(path.string(),
                     "this is no order of rows that sotto has written; remove it, or prepare the table again");
  }
  if (file_digest(file) != "sha256:" + *contents) {
    throw InputError(path.string(),
                     fmt::format("this is the order of another file: {} was changed since; prepare the table again, or "
                                 "remove this file",
                                 file.string()));
  }
  return order;
}

std::string no_order_warning(const std::string& names, std::string_view remedy) {
  return fmt::format(
      "{}: nothing says that row t is about the same case as row t of the others: if it is not, the run learns nothing "
      "and says nothing; {}",
      names, remedy);
}

std::string keyed_order(const std::string& digest, const std::string& session) {
  return sha256_hex(fmt::format("sotto row order in a run\n{}\n{}\n", session, digest));
}

bool is_order_digest(std::string_view text) { return is_hex(text, digest_digits); }

std::string comparable_id(std::string_view id, const IdForm& form) {
  return without_blanks(mapped(id, options_of(form)), form.blanks);
}

}  // namespace sotto::apps
