#include "apps/kit/files/id_form.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

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

// A run of white space within becomes `between`: as it was, one space, or nothing.
std::string without_blanks(std::string_view id, IdBlanks blanks) {
  std::string result;
  result.reserve(id.size());
  std::size_t run = 0;  // where the white space begins that was read last
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

std::string comparable_id(std::string_view id, const IdForm& form) {
  return without_blanks(mapped(id, options_of(form)), form.blanks);
}

}  // namespace sotto::apps
