#include "core/text/terminal_safe.h"

#include <fmt/format.h>

#include <cstdint>

namespace sotto {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

std::uint32_t code_of(std::string_view sequence) {
  constexpr std::uint32_t first_bits[] = {0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code = byte_at(sequence, 0) & first_bits[sequence.size() - 1];
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    code = code << 6 | (byte_at(sequence, i) & 0x3F);
  }
  return code;
}

bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const std::uint32_t first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t second = byte_at(text, at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string terminal_safe(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", byte_at(text, at));
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, length);
    const std::uint32_t code = code_of(sequence);
    if (is_hidden(code)) {
      out += escaped(code);
    } else {
      out += sequence;
    }
    at += length;
  }
  return out;
}

std::string terminal_safe(std::string_view text, std::size_t longest) {
  std::string result = terminal_safe(text);
  if (result.size() <= longest) return result;
  std::size_t end = 0;
  for (std::size_t at = 0; at <= longest; at += utf8_length(result, at)) end = at;
  result.resize(end);
  return result;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return result;
}

}  // namespace sotto
