// Sentences about everything each role of an O3M run can learn, for run.json and every report.
//
// O3M rotates all contexts by one secret orthogonal matrix. A rotation is no encryption: it preserves lengths and
// angles, and a few known contexts are enough to undo it. The sentences depend on the run: the number of participants,
// the features of each participant, the mask generator, and whether blocks are summed securely. The sentences contain
// no value of any context. docs/explain/o3m.md explains the sentences, and `sotto-lab audit` shows each leak on data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/run_page.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::o3m {

// The line to print on every page that shows results of O3M.
[[nodiscard]] std::string leakage_headline();

// Pairs (role, sentence), ordered by role. A role with several sentences appears in several pairs. Pairs for a single
// role come first: "active participant", "passive participant 1", ..., "mask generator" (or "passive participant 1, the
// mask generator"). Pairs for groups of roles that pool their knowledge follow: "active participant and mask
// generator", and with three or more participants "active participant and passive participants". Throws
// std::invalid_argument for fewer than two participants, for a participant without features, and for a mask generator
// that is not a passive participant.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> leakage_words(const O3mParameters& parameters);

// The sentences of leakage_words() as an object that maps each role to the array of its sentences.
[[nodiscard]] nlohmann::ordered_json leakage(const O3mParameters& parameters);

// The sentences of leakage_words() as a section of a report.
[[nodiscard]] PageSection leakage_section(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
