// Pages of runs, with their figures in a file next to them.
#pragma once

#include <string>

#include "apps/bandit/run/result/result.h"

namespace sotto::python {

// Writes the page and the file of its figures. The page names that file, which for the command is run.json. Throws as
// write_file does. Call it with Python's lock.
void write_report(const apps::bandit::run::BanditResult& result, const std::string& page, const std::string& figures);

}  // namespace sotto::python
