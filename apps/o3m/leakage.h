// Sentences about everything each role of an O3M run can learn, for run.json and every report.
//
// A rotation is no encryption: it preserves lengths and angles, and a few known contexts are enough to undo the
// rotation. The sentences contain no value of any context. docs/explain/o3m.md explains the sentences, and `sotto-lab
// audit` shows each leak on data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/run_page.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::o3m {

[[nodiscard]] std::string leakage_headline();

// Returns pairs of a role and a sentence, ordered by role. Throws std::invalid_argument for fewer than two
// participants, for a participant without features, and for a mask generator that is not a passive participant.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> leakage_words(const O3mParameters& parameters);

[[nodiscard]] nlohmann::ordered_json leakage(const O3mParameters& parameters);

[[nodiscard]] PageSection leakage_section(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
