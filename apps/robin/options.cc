#include "sotto/apps/robin/options.h"

#include <fmt/format.h>

#include "sotto/apps/robin/client_logs.h"
#include "sotto/apps/robin/roles/terms.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

RobinInputs of_files(const RobinOptions& options) {
  if (options.files.size() < 2) {
    throw InputError("--client",
                     "one file is one client, and one client has nobody to share with; give the flag once for each of "
                     "2 clients or more");
  }
  const double reward_bound = chosen_reward_bound(options.settings);
  ClientLogs logs = read_client_logs(options.files, options.settings.bound,
                                     reward_bound > 0 ? reward_bound : 0);  // refused below
  RobinInputs inputs;
  inputs.settings = with_logs(options.settings, logs, options.horizon_given);
  inputs.settings.clients = options.files.size();
  inputs.settings = resolved(inputs.settings, *logs.instance);
  inputs.instance = std::move(logs.instance);
  inputs.has_means = logs.has_means;
  return inputs;
}

}  // namespace

RobinInputs read_robin_inputs(const RobinOptions& options) {
  check_deadline(options.deadline_seconds);
  if (!options.files.empty()) return of_files(options);
  RobinInputs inputs;
  inputs.settings = checked(options.settings);
  inputs.instance = simulated_instance(inputs.settings);
  inputs.settings = resolved(inputs.settings, *inputs.instance);
  return inputs;
}

void check_deadline(double seconds) {
  if (seconds > 0 && seconds <= longest_robin_deadline) return;
  throw InputError("--deadline", fmt::format("expected seconds above 0 and at most {:g} (a week), not {:g}",
                                             longest_robin_deadline, seconds));
}

}  // namespace sotto::apps
