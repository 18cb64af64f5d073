// A ROBIN run as one machine sees it that has all the clients: launches the roles, lets the twins play, and puts
// everything together.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/robin/options.h"
#include "sotto/apps/robin/result.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

struct LocalRobinRun {
  RobinResult result;  // of a run that failed too: with what it had spent by then
  // Why it failed or was refused; the result has the same line.
  std::optional<Error> error;
};

// Decides first: a run that is refused starts no process. `progress` may be empty. Throws what keeps the run from
// starting.
[[nodiscard]] LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                                            const std::function<void(const ProgressState&)>& progress,
                                            const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
