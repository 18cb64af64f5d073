#include "sotto/bench/lab/command/bench_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

void add_output_options(Command& command, BenchOutput& output) {
  command.add_flag("--json", output.json, "Print one JSON object");
  command.add_option("--out", output.out, "Write a Markdown page of the same figures as well")->type_name("FILE");
  add_overwrite(command, output.overwrite);
}

void check_output(const BenchOutput& output) { check_out_file(output.out, output.overwrite); }

void show(const Page& page, const BenchOutput& output) {
  show_progress("");
  if (!output.out.empty()) write_file(output.out, to_markdown(page));
  const std::string text = output.json ? json_text(to_json(page), 2) + "\n" : to_text(page);
  std::fputs(text.c_str(), stdout);
}

void show_progress(const std::string& doing) {
  if (::isatty(STDERR_FILENO) == 0) return;
  say_part(fmt::format("\r\x1b[K{}", doing));
}

}  // namespace sotto::apps
