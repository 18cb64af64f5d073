// The summary of a run for a terminal.
#pragma once

#include <string>

#include "sotto/apps/bandit/result.h"
#include "sotto/apps/kit/report/human.h"

namespace sotto::apps {

// Several aligned lines, each ended by a newline.
std::string summary_text(const BanditResult& result, const TextOptions& options = {});

// "140 ms delay + 2.27 ms bytes / rate + 410 us arithmetic"; parts that are nothing are left out.
std::string link_parts(const LinkModel& model);

}  // namespace sotto::apps
