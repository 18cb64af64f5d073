#include "apps/kit/settings/toml_text.h"

#include <fmt/format.h>

#include <variant>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// Returns the position after the string.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_one = text.substr(at, 3) == three;
  for (std::size_t i = at + (long_one ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (long_one && text.substr(i, 3) == three) {
      // One or two quotes before the three closing quotes are part of the string.
      i += 3;
      while (i < text.size() && text[i] == quote) ++i;
      return i;
    } else if (!long_one && (text[i] == quote || text[i] == '\n')) {
      return text[i] == quote ? i + 1 : i;
    }
  }
  return text.size();
}

class Scan {
 public:
  Scan(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void run() {
    while (at_ < text_.size()) step();
  }

 private:
  void step() {
    switch (text_[at_]) {
      case '"':
      case '\'':
        skip_to(end_of_string(text_, at_));
        return;
      case '#':
        skip_to(text_.find('\n', at_));
        return;
      case '\n':
        ++line_;
        dots_ = 0;
        break;
      case '.':
        if (++dots_ > most_dots_in_a_line) {
          refuse(fmt::format("more than {} dots in a line", most_dots_in_a_line));
        }
        break;
      case '[':
      case '{':
        if (++depth_ > most_brackets_in_brackets) {
          refuse(fmt::format("more than {} brackets within each other", most_brackets_in_brackets));
        }
        break;
      case ']':
      case '}':
        if (depth_ > 0) --depth_;
        break;
      default:
        break;
    }
    ++at_;
  }

  void skip_to(std::size_t end) {
    for (; at_ < text_.size() && at_ < end; ++at_) {
      if (text_[at_] == '\n') ++line_;
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}:{}", file_, line_), what + "; this is no config of sotto");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t dots_ = 0;
  std::size_t depth_ = 0;
};

struct Writer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return toml_real(value); }
  std::string operator()(const std::string& value) const { return toml_quoted(value); }
  std::string operator()(const std::vector<std::string>& values) const {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_quoted(value);
    return "[" + list + "]";
  }
};

std::string ascii(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

}  // namespace

void check_toml_limits(std::string_view text, const std::string& file, std::size_t longest) {
  if (text.size() > longest) {
    throw InputError(file, fmt::format("the file is larger than {} bytes; this is no config of sotto", longest));
  }
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(file, "there is a NUL byte, so this is no text, or not in UTF-8");
  }
  Scan(text, file).run();
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string toml_quoted(const std::string& text) {
  if (!is_utf8(text)) {
    throw InputError(
        fmt::format("'{}' is not text in UTF-8, as a config is: give that file or folder another name", ascii(text)));
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_real(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(const ConfigScalar& value) { return std::visit(Writer{}, value); }

}  // namespace sotto::apps
