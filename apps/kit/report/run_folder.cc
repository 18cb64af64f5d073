#include "sotto/apps/kit/report/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <random>
#include <system_error>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {

void make_run_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw ResourceError(fmt::format("{}: cannot make this directory ({}); choose another with --out",
                                    directory.string(), error ? error.message() : "something else has its name"));
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    throw ResourceError(
        fmt::format("{}: cannot write in this directory; choose another with --out", directory.string()));
  }
}

std::filesystem::path default_run_directory() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::random_device random;
  const std::string name = fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z-{:06x}", utc.tm_year + 1900, utc.tm_mon + 1,
                                       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, random() & 0xffffffU);
  return std::filesystem::path("sotto-runs") / name;
}

std::string files_of_run(const std::filesystem::path& directory) {
  return fmt::format("\n  {}\n  {}\n", terminal_safe((directory / "run.json").string()),
                     terminal_safe((directory / "report.html").string()));
}

}  // namespace sotto::apps
