// An O3M run as one machine sees it that has all the files: a local simulation. Checks what the user asks for, makes
// the roles' common parameters, and puts the roles' reports together.
#pragma once

#include <string>

#include "sotto/apps/o3m/inputs.h"
#include "sotto/apps/o3m/launcher.h"
#include "sotto/apps/o3m/options.h"
#include "sotto/apps/o3m/parameters.h"
#include "sotto/apps/o3m/result.h"

namespace sotto::apps {

// What all roles of that run have alike. Throws InputError that names the flag or the file for what cannot be run:
// numbers out of range, more steps than there are, a mask generator that is none, contexts too large for the fixed
// point.
[[nodiscard]] O3mParameters local_parameters(const O3mOptions& options, const O3mInputs& inputs);

[[nodiscard]] LocalO3m local_o3m(const O3mOptions& options, const O3mParameters& parameters);

// The result of one run; with --compare-central the twin plays here.
[[nodiscard]] O3mResult assemble_result(const O3mOptions& options, const O3mInputs& inputs,
                                        const O3mParameters& parameters, const O3mOutcome& outcome);

// The result of a run that ended in an error: everything that is known, status failed, and the error's one line.
[[nodiscard]] O3mResult failed_result(const O3mOptions& options, const O3mInputs& inputs,
                                      const O3mParameters& parameters, const std::string& error);

}  // namespace sotto::apps
