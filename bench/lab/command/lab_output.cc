#include "bench/lab/command/lab_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {

void add_output_options(Command& command, LabOutput& output, const std::string& help, const std::string& type) {
  command.add_flag("--json", output.json, "Print one JSON object");
  command.add_option("--out", output.out, help)->type_name(type);
  add_overwrite(command, output.overwrite);
}

Option* add_parties(Command& command, std::vector<std::size_t>& parties) {
  return command.add_option("--parties", parties, "Compute parties, 2 to 8; several in turn")
      ->separated_by(',')
      ->number(whole(2, max_parties));
}

void add_features(Command& command, std::size_t& features) {
  command.add_option("--features", features, "Features of a context", whole(2, 1024));
}

void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what) {
  command.add_option("--seed", seed, fmt::format("Seed of the first {}; the next ones count on", of_what),
                     whole(0, std::uint64_t{1} << 62));
}

void show(const Page& page, const LabOutput& output) {
  show_progress("");
  if (!output.out.empty()) write_file(output.out, to_markdown(page));
  const std::string text = output.json ? json_text(to_json(page), 2) + "\n" : to_text(page);
  std::fputs(text.c_str(), stdout);
}

void show_progress(const std::string& doing) {
  if (::isatty(STDERR_FILENO) == 0) return;
  say_part(fmt::format("\r\x1b[K{}", doing));
}

}  // namespace sotto::apps::lab
