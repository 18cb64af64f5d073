#include "apps/kit/program/about.h"

#include <fmt/chrono.h>

#include <ctime>
#include <fstream>
#include <string>
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

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::uint64_t kibibytes = 0;
    if (name == "VmHWM:" && status >> kibibytes) return 1024 * kibibytes;
    std::getline(status, name);
  }
  return 0;
}

}  // namespace sotto::apps
