// What every measurement of `sotto-lab bench` does with its figures: tables or JSON on stdout, and with --out a page
// for bench/results/.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/report/provenance.h"

namespace sotto::apps {

struct BenchOutput {
  bool json = false;
  std::filesystem::path out;  // empty: no page
  bool overwrite = false;
};

// Declares --json, --out and --overwrite; `output` is filled when the command line is parsed.
void add_output_options(Command& command, BenchOutput& output);

// Throws InputError, before anything is measured, where --out names a folder, lies in none or is there already.
void check_output(const BenchOutput& output);

// Throws ResourceError where the page cannot be written.
void show(const Page& page, const BenchOutput& output);

// Adds `sotto-lab bench NAME`, whose Arguments have a BenchOutput `output`: `declare` adds its own options, `measure` runs
// once the output is known to fit.
template <class Arguments>
void add_measurement(Command& bench, const std::string& name, const std::string& about, const std::string& footer,
                     void (*declare)(Command&, Arguments&), void (*measure)(const Arguments&)) {
  Command* command = bench.add_subcommand(name, about);
  const auto arguments = std::make_shared<Arguments>();
  declare(*command, *arguments);
  add_output_options(*command, arguments->output);
  command->footer(footer);
  command->callback([arguments, measure] {
    catch_interrupts();
    check_output(arguments->output);
    measure(*arguments);
  });
}

// One line on stderr about what is measured now, if that is a terminal; an empty one clears it.
void show_progress(const std::string& doing);

}  // namespace sotto::apps
