// What each role of an O3M run can learn, in words, for run.json and every report.
//
// O3M rotates all contexts by one secret orthogonal matrix. It is no encryption: lengths and angles pass through it,
// and a few known contexts undo it. The words depend on who takes part: how many participants, how many features each
// has, who generates the mask, and whether blocks are summed securely. They name no value of any context. docs/o3m.md
// has the arguments, `sotto-lab audit` shows each of them on data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/run_page.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::o3m {

// The line to stamp on whatever shows results of O3M.
[[nodiscard]] std::string leakage_headline();

// (role, sentence), ordered by role; a role comes once for each sentence. First the roles alone: "active participant",
// "passive participant 1", ..., "mask generator" (or "passive participant 1, the mask generator"); then groups that
// pool what they know: "active participant and mask generator", "active participant and passive participants" (from
// three participants on). std::invalid_argument without at least two participants, with a participant without features,
// or with a mask generator that is no passive participant.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> leakage_words(const O3mParameters& parameters);

// The same as an object: role -> array of its sentences.
[[nodiscard]] nlohmann::ordered_json leakage(const O3mParameters& parameters);

// The same as a section of a report.
[[nodiscard]] PageSection leakage_section(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
