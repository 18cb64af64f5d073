#include "sotto/apps/kit/settings/toml_limits.h"

#include <fmt/format.h>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// Where the string that starts at `at` with a quote ends: behind its last quote, or, if it is not closed, where the
// parser will refuse it.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_one = text.substr(at, 3) == three;
  for (std::size_t i = at + (long_one ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (long_one && text.substr(i, 3) == three) {
      // One or two quotes before the last three are part of the string.
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

}  // namespace

void check_toml_limits(std::string_view text, const std::string& file) {
  if (text.size() > longest_config) {
    throw InputError(file, fmt::format("the file is larger than {} bytes; this is no config of sotto", longest_config));
  }
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(file, "there is a NUL byte, so this is no text, or not in UTF-8");
  }
  Scan(text, file).run();
}

}  // namespace sotto::apps
