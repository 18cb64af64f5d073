#include "sotto/apps/robin/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "sotto/apps/kit/learn/tasks.h"
#include "sotto/apps/robin/client_logs.h"
#include "sotto/apps/robin/roles/launcher.h"
#include "sotto/apps/robin/roles/messages.h"

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

// What is known before the run.
RobinResult described(const RobinOptions& options, const RobinInputs& inputs) {
  RobinResult result;
  result.outcome.settings = inputs.settings;
  result.outcome.decision = decide(inputs.settings);
  for (const auto& file : options.files) result.files.push_back(file.filename().string());
  result.has_means = inputs.has_means;
  result.insecure = insecure_switches(options.insecure_seed.has_value(), options.insecure_plaintext);
  return result;
}

LocalRobin local_robin(const RobinOptions& options, const RobinInputs& inputs, const RobinDecision& decision) {
  LocalRobin local;
  local.terms.settings = inputs.settings;
  local.terms.simulated = options.files.empty();
  local.terms.local = decision.mode == RobinMode::local;
  local.terms.deadline_seconds = options.deadline_seconds;
  local.files = options.files;
  local.insecure_seed = options.insecure_seed;
  local.insecure_plaintext = options.insecure_plaintext;
  return local;
}

// What was released is spent, whether or not the run went on.
void add_aggregator(const RobinAggregatorReport& report, RobinResult& result) {
  RobinOutcome& outcome = result.outcome;
  outcome.releases = report.releases;
  outcome.epsilon_spent = report.epsilon_spent;
  outcome.delta_spent = report.delta_spent;
  outcome.rho_spent = report.rho_spent;
  for (const Release& release : report.releases) outcome.clipped.estimates += release.clipped;
  if (!report.estimates.empty()) result.estimate = report.estimates.back();
  result.roles.push_back(report.cost);
}

void add_clients(const std::vector<RobinClientReport>& reports, const std::vector<std::vector<double>>& broadcasts,
                 const RobinTerms& terms, std::span<const double> theta, RobinResult& result) {
  const std::vector<Phase> phases = phases_of(terms);
  std::size_t release = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    PhaseReport all;
    for (const RobinClientReport& report : reports) all.append(report.phases.at(i));
    std::span<const double> broadcast;
    if (!phases[i].local) broadcast = broadcasts.at(release - 1);
    result.outcome.add_phase(phases[i], all, broadcast, theta);
    if (phases[i].uploads) ++release;
  }
  double slowest = 0;
  for (const RobinClientReport& report : reports) {
    slowest = std::max(slowest, report.play_seconds);
    result.roles.push_back(report.cost);
  }
  result.play_seconds = slowest;
}

void add_outcome(const LocalRobinOutcome& played, const LocalRobin& local, const RobinInputs& inputs,
                 RobinResult& result) {
  result.wall_seconds = played.wall_seconds;
  if (played.aggregator) add_aggregator(*played.aggregator, result);
  if (played.error || !played.aggregator) return;
  add_clients(played.clients, played.aggregator->estimates, local.terms, inputs.instance->theta(), result);
}

void play_twins(const RobinInputs& inputs, const std::function<void(const ProgressState&)>& tell,
                const std::atomic<bool>& interrupted, RobinResult& result) {
  RobinPlayOptions options;
  options.threads = core_count();
  std::mutex one_at_a_time;
  const auto progress = [&](std::uint64_t played, std::uint64_t of) {
    if (!tell) return;
    const std::lock_guard lock(one_at_a_time);
    ProgressState state;
    state.step = played;
    state.total_steps = of;
    tell(state);
  };
  add_twins(result.outcome, inputs.instance, options, progress, interrupted);
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

LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                              const std::function<void(const ProgressState&)>& progress,
                              const std::atomic<bool>& interrupted) {
  LocalRobinRun run;
  run.result = described(options, inputs);
  const RobinDecision decision = run.result.outcome.decision;
  const auto end_with = [&](RunStatus status, const Error& error) {
    run.result.status = status;
    run.result.error = error.what();
    run.error = error;
  };
  if (decision.mode == RobinMode::refused) {
    end_with(RunStatus::refused, InputError(decision.why));
    return run;
  }
  const LocalRobin local = local_robin(options, inputs, decision);
  try {
    const LocalRobinOutcome played = launch_local_robin(local, progress, interrupted);
    add_outcome(played, local, inputs, run.result);
    if (played.error) {
      end_with(RunStatus::failed, *played.error);
      return run;
    }
    if (options.twins) play_twins(inputs, progress, interrupted, run.result);
  } catch (const Error& error) {
    end_with(RunStatus::failed, error);
  }
  return run;
}

}  // namespace sotto::apps
