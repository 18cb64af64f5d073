#include "apps/cli/command_line.h"

namespace sotto::apps {
namespace {

std::string remembered = "sotto";

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      out.append("'\\''");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

void remember_command_line(int argc, char** argv) {
  remembered = "sotto";
  for (int i = 1; i < argc; ++i) remembered += " " + shell_quoted(argv[i]);
}

std::string command_line() { return remembered; }

}  // namespace sotto::apps
