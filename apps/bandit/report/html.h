// report.html: one self-contained page of a run, to show to a colleague. No script is needed to
// read it, nothing is loaded from anywhere; it follows the reader's light or dark mode and prints.
// Whatever came from outside (file names, the command, error messages) is escaped.
#pragma once

#include <string>

#include "sotto/apps/bandit/result.h"

namespace sotto::apps {

std::string report_html(const BanditResult& result);

}  // namespace sotto::apps
