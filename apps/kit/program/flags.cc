#include "apps/kit/program/flags.h"

#include <algorithm>
#include <cstddef>

namespace sotto::apps {
namespace {

bool is_flag_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Where the flag ends that begins at `at`; `at` where there is none.
std::size_t end_of_flag(std::string_view text, std::size_t at) {
  const auto is_part = [&](std::size_t i) { return i < text.size() && is_flag_character(text[i]); };
  if (text.substr(at, 2) != "--" || !is_part(at + 2) || (at > 0 && text[at - 1] == '-')) return at;
  std::size_t end = at + 2;
  while (is_part(end) || (end < text.size() && text[end] == '-' && is_part(end + 1))) ++end;
  return end;
}

}  // namespace

std::string respell_flags(std::string_view text, const std::function<std::string(const std::string& flag)>& spell) {
  std::string respelt;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_flag(text, at);
    if (end > at) {
      respelt += spell(std::string(text.substr(at, end - at)));
    } else {
      end = text[at] == '`' ? std::min(text.find('`', at + 1), text.size() - 1) + 1 : at + 1;
      respelt += text.substr(at, end - at);
    }
    at = end;
  }
  return respelt;
}

std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names) {
  return respell_flags(text, [&](const std::string& flag) {
    const auto name = names.find(flag);
    return name == names.end() ? flag : name->second;
  });
}

}  // namespace sotto::apps
