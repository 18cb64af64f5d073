// What every measurement of `sotto-lab bench` does with its figures: tables or JSON on stdout, and with --out a page
// for bench/results/.
#pragma once

#include <filesystem>

#include "sotto/apps/kit/report/page.h"

namespace sotto::apps {

class Command;

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

// One line on stderr about what is measured now, if that is a terminal; an empty one clears it.
void show_progress(const std::string& doing);

}  // namespace sotto::apps
