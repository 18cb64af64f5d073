// What the commands of sotto-lab do with their figures, and the flags that several of them take.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/publish.h"
#include "apps/kit/report/run_header.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

struct LabOutput {
  bool json = false;
  std::filesystem::path out;  // empty: no page
  bool overwrite = false;
};

// Declares --json, --out and --overwrite; `output` is filled when the command line is parsed.
void add_output_options(Command& command, LabOutput& output,
                        const std::string& help = "Write a Markdown page of the same figures as well",
                        const std::string& type = "FILE");

// --parties, a list; --features of a context; --seed, of the first of several runs or repeats.
Option* add_parties(Command& command, std::vector<std::size_t>& parties);
void add_features(Command& command, std::size_t& features);
void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what);

// Tables or JSON on stdout, and with --out a page for bench/results/. Throws ResourceError where the page cannot be
// written.
void show(const Page& page, const LabOutput& output);

// One line on stderr about what is measured now, if that is a terminal; an empty one clears it.
void show_progress(const std::string& doing);

// Adds `sotto-lab bench NAME`: `declare` adds its own options, `measure` runs once the output is known to fit, and
// gives the page but for its provenance.
template <class Arguments>
void add_measurement(Command& bench, const std::string& name, const std::string& about, const std::string& footer,
                     void (*declare)(Command&, Arguments&), Page (*measure)(const Arguments&)) {
  Command* command = bench.add_subcommand(name, about);
  const auto arguments = std::make_shared<Arguments>();
  const auto output = std::make_shared<LabOutput>();
  declare(*command, *arguments);
  add_output_options(*command, *output);
  command->footer(footer);
  command->callback([arguments, output, measure] {
    catch_interrupts();
    check_out_file(output->out, output->overwrite);
    const Provenance provenance = take_provenance();
    Page page = measure(*arguments);
    page.provenance = provenance;
    show(page, *output);
  });
}

// The exit code of a reproduction of which a figure left its tolerance: no error of anybody's.
inline constexpr ExitCode figures_off{1};

// Publishes the result of a reproduction. Where not all of its checks passed, throws FailedRun with figures_off, once
// everything is written; with --json the object is that of the error.
template <class Result>
void publish_checked(const Result& result, const std::filesystem::path& folder, bool json) {
  if (all_passed(result.checks)) return publish(result, folder, json);
  if (!folder.empty()) write_run(folder, result);
  if (!json) {
    show(result, false);
    std::fputs(files_of_run(folder).c_str(), stdout);
  }
  throw FailedRun(figures_off, result.verdict(), object_of(result));
}

// Plays an experiment once its folder is known to fit: the result that `play` returns, and the folder.
template <class Play>
auto played_experiment(const LabOutput& output, const Play& play) {
  catch_interrupts();
  const Provenance provenance = take_provenance();
  std::filesystem::path folder = results_folder(output.out, output.json, output.overwrite);
  auto result = play();
  show_progress("");
  result.provenance = provenance;
  return std::pair(std::move(result), std::move(folder));
}

template <class Play>
void publish_experiment(const LabOutput& output, const Play& play) {
  const auto [result, folder] = played_experiment(output, play);
  publish(result, folder, output.json);
}

// publish_experiment() of a reproduction, whose checks decide how it ends. `write_more` adds to its folder, if there is
// one.
template <class Play, class WriteMore>
void publish_checked_experiment(const LabOutput& output, const Play& play, const WriteMore& write_more) {
  const auto [result, folder] = played_experiment(output, play);
  if (!folder.empty()) write_more(result, folder);
  publish_checked(result, folder, output.json);
}

}  // namespace sotto::apps::lab
