// The arguments of `sotto o3m` on the command line.
#pragma once

#include "sotto/apps/o3m/options.h"

namespace sotto::apps {

class Command;

// Declares the options on a subcommand; they are filled when the command line is parsed. None is required, for the
// subcommand has subcommands of its own: see require_o3m_files.
void add_o3m_options(Command& command, O3mOptions& options);

// --ap, --passive, --arms-file, --combine.
void add_o3m_file_options(Command& command, O3mFiles& files);

// Throws UsageError for a file without which there is no run.
void require_o3m_files(const Command& command);

}  // namespace sotto::apps
