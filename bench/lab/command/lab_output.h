// What the commands of sotto-lab do with their figures, and the flags that several of them take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/publish.h"

namespace sotto::apps {

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

// Plays an experiment once its folder is known to fit, and publishes the result that `play` returns.
template <class Play>
void publish_experiment(const LabOutput& output, const Play& play) {
  catch_interrupts();
  const Provenance provenance = take_provenance();
  const std::filesystem::path folder = results_folder(output.out, output.json, output.overwrite);
  auto result = play();
  show_progress("");
  result.provenance = provenance;
  publish(result, folder, output.json);
}

// Of an experiment that was played to its end: a figure is not what it should be.
inline constexpr ExitCode not_as_expected{1};

// The same, with further files by `write_more`, which is called where there is a folder. Throws FailedRun with
// not_as_expected, once everything is written, where a figure of the result is not within what was expected of it.
template <class Play, class WriteMore>
void publish_checked(const LabOutput& output, const Play& play, const WriteMore& write_more) {
  catch_interrupts();
  const Provenance provenance = take_provenance();
  const std::filesystem::path folder = results_folder(output.out, output.json, output.overwrite);
  auto result = play();
  show_progress("");
  result.provenance = provenance;
  if (!folder.empty()) write_more(result, folder);
  if (result.all_passed()) return publish(result, folder, output.json);
  if (output.json) {
    if (!folder.empty()) write_run(folder, result);
  } else {
    publish(result, folder, false);
  }
  throw FailedRun(not_as_expected, result.verdict(), to_json(result));
}

}  // namespace sotto::apps
