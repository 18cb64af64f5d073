#include "apps/kit/program/out_options.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <random>
#include <system_error>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

[[noreturn]] void refuse(const fs::path& path, const char* what) {
  throw InputError("--out",
                   fmt::format("{} {}: choose another, or write over it with --overwrite", path.string(), what));
}

}  // namespace

void add_overwrite(Command& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite, "Write over what an earlier command left in --out");
}

void add_run_output(Command& command, fs::path& out, bool& overwrite, bool& json) {
  command.add_option("--out", out, "Folder for run.json and report.html (default: sotto-runs/<time>-<id>)")
      ->type_name("DIR");
  add_overwrite(command, overwrite);
  command.add_flag("--json", json, "Print one JSON object; without --out nothing is written");
}

bool holds_results(const fs::path& folder) {
  if (!is_file(folder / "run.json")) return false;
  const auto run = nlohmann::json::parse(read_file(folder / "run.json"), nullptr, false);
  // A run.json that cannot be parsed may belong to the user.
  if (!run.is_object() || !run.contains("status")) return true;
  return run["status"] == "complete";
}

fs::path results_folder(const fs::path& out, bool json, bool overwrite) {
  fs::path folder = out;
  if (folder.empty() && !json) folder = default_run_directory();
  if (folder.empty()) return folder;
  if (!overwrite && holds_results(folder)) refuse(folder, "holds the results of a run");
  make_run_directory(folder);
  return folder;
}

void check_out_file(const fs::path& out, bool overwrite) {
  if (out.empty()) return;
  std::error_code ignored;
  const fs::path folder = fs::absolute(out).parent_path();
  if (fs::is_directory(out, ignored)) {
    throw InputError("--out", out.string() + " is a folder where a file is expected");
  }
  if (!fs::is_directory(folder, ignored)) {
    throw InputError("--out", "there is no folder " + folder.string());
  }
  if (!overwrite && is_file(out)) refuse(out, "exists already");
}

void check_out_folder(const fs::path& folder, const std::vector<std::string>& names, bool overwrite) {
  if (overwrite) return;
  for (const std::string& name : names) {
    if (is_file(folder / name)) refuse(folder / name, "exists already");
  }
}

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
  return fs::path("sotto-runs") /
         fmt::format("{:%Y%m%dT%H%M%SZ}-{:06x}", fmt::gmtime(std::time(nullptr)), std::random_device()() & 0xffffffU);
}

std::string files_of_run(const std::filesystem::path& directory) {
  return fmt::format("\n  {}\n  {}\n", terminal_safe((directory / "run.json").string()),
                     terminal_safe((directory / "report.html").string()));
}

}  // namespace sotto::apps
