#include "apps/cli/bench_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/data/atomic_file.h"
#include "core/error/errors.h"

namespace sotto::apps {

void add_output_options(CLI::App& command, BenchOutput& output) {
  command.add_flag("--json", output.json, "Print one JSON object");
  command.add_option("--out", output.out, "Write a Markdown page of the same figures as well")
      ->type_name("FILE");
}

void check_output(const BenchOutput& output) {
  if (output.out.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(output.out).parent_path();
  if (std::filesystem::is_directory(output.out) || !std::filesystem::is_directory(folder)) {
    throw InputError(
        "--out", fmt::format("'{}' is no file name in a folder that exists", output.out.string()));
  }
}

void show(const Page& page, const BenchOutput& output) {
  show_progress("");
  const std::string text = output.json ? to_json(page).dump(2) + "\n" : to_text(page);
  std::fputs(text.c_str(), stdout);
  if (!output.out.empty()) write_file(output.out, to_markdown(page));
}

void show_progress(const std::string& doing) {
  if (::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K{}", doing);
  std::fflush(stderr);
}

}  // namespace sotto::apps
