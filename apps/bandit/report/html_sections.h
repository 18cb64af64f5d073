// The sections of report.html below the key figures; each is empty if the run has nothing for it.
#pragma once

#include <string>

#include "sotto/apps/bandit/result.h"

namespace sotto::apps {

std::string link_section(const BanditResult& result);        // emulated links and their model
std::string cost_section(const BanditResult& result);        // phases: time, rounds, bytes
std::string step_section(const BanditResult& result);        // one step, round by round
std::string views_section(const BanditResult& result);       // who saw what
std::string privacy_section(const BanditResult& result);     // the statement
std::string comparison_section(const BanditResult& result);  // --compare-plaintext
std::string repeats_section(const BanditResult& result);     // --repeat
std::string parameters_section(const BanditResult& result);  // parameters, inputs, command

}  // namespace sotto::apps
