#include "apps/kit/program/about.h"

#include <fmt/chrono.h>

#include <string_view>

namespace sotto::apps {
namespace {

std::string remembered;
bool json = false;

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out.push_back('\'');
  return out;
}

void remember_command_line(const std::string& program, int argc, char** argv) {
  remembered = program;
  json = false;
  for (int i = 1; i < argc; ++i) {
    remembered += " " + shell_quoted(argv[i]);
    json = json || std::string_view(argv[i]) == "--json";
  }
}

std::string command_line() { return remembered; }

bool json_wanted() { return json; }

std::string utc_text(std::time_t time) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)); }

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace sotto::apps
