#include "apps/o3m/local.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

#include "apps/kit/deploy/role_process.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/o3m/player.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::o3m {
namespace {

std::string participant_name(std::size_t number) {
  return number == 0 ? std::string("active participant") : fmt::format("passive participant {}", number);
}

O3mResult described(const O3mOptions& options, const O3mInputs& inputs, const O3mParameters& parameters) {
  O3mResult result;
  result.settings = std::make_shared<O3mSettings>(local_o3m(options, parameters).run);
  result.parameters = parameters;
  for (const ParticipantContexts& own : inputs.participants) {
    result.inputs.push_back({participant_name(result.inputs.size()),
                             std::filesystem::path(own.file).filename().string(), own.columns, own.bound});
  }
  result.environment = options.files.environment.filename().string();
  if (!options.files.arms_file.empty()) {
    result.arms_file = options.files.arms_file.filename().string();
    result.combine = combine_text(options.files.combine);
  }
  result.insecure = insecure_options(options.run);
  result.leakage_acknowledged = options.run.acknowledge_leakage;
  return result;
}

void add_rewards(O3mResult& result, const O3mEnvironment& environment) {
  RewardCurve curve(result.rewards.size());
  double uniform = 0;
  for (std::size_t t = 0; t < result.rewards.size(); ++t) {
    curve.add(result.rewards[t]);
    double sum = 0;
    for (std::size_t arm = 0; arm < environment.arms(); ++arm) sum += environment.reward(t, arm);
    uniform += sum / static_cast<double>(environment.arms());
  }
  result.reward_curve = curve.points();
  result.average_reward =
      std::accumulate(result.rewards.begin(), result.rewards.end(), 0.0) / static_cast<double>(result.rewards.size());
  result.uniform_average_reward = uniform / static_cast<double>(result.rewards.size());
}

void add_regret(O3mResult& result, const O3mEnvironment& environment) {
  if (!environment.has_means()) return;
  double regret = 0;
  double uniform = 0;
  auto point = result.reward_curve.begin();
  for (std::size_t t = 0; t < result.arms.size(); ++t) {
    regret += *environment.regret(t, result.arms[t]);
    double sum = 0;
    for (std::size_t arm = 0; arm < environment.arms(); ++arm) sum += *environment.regret(t, arm);
    uniform += sum / static_cast<double>(environment.arms());
    if (point != result.reward_curve.end() && point->step == t + 1) {
      result.regret_curve.push_back({t + 1, regret});
      ++point;
    }
  }
  result.cumulative_regret = regret;
  result.uniform_regret = uniform;
}

void add_costs(O3mResult& result, const O3mOutcome& outcome) {
  const O3mRoleReport& active = outcome.active();
  const auto steps = static_cast<double>(result.parameters.steps);
  result.seconds_per_step = active.play_seconds / steps;
  result.end_to_end_seconds_per_step = (active.masking_seconds + (active.prefetched ? active.play_seconds : 0)) / steps;
  result.bytes_per_step = static_cast<double>(active.bytes_received) / steps;
  result.setup_seconds = active.setup_seconds;
  result.wall_seconds = outcome.wall_seconds;
  result.prefetched = active.prefetched;
  for (const O3mRoleReport& report : outcome.reports) {
    result.roles.push_back({report.role, report.cpu_seconds, report.peak_memory_bytes, report.bytes_sent});
  }
}

}  // namespace

std::vector<O3mSettings> local_o3m_roles(const LocalO3m& local) {
  O3mSettings base = local.run;
  base.acknowledge_leakage = true;
  std::vector<O3mSettings> roles;
  for (const ContextFiles& files : participant_files(local.files, base.arms)) {
    O3mSettings config = base;
    config.set_role(roles.empty() ? O3mRole::active : O3mRole::passive, roles.size());
    config.contexts = std::filesystem::absolute(files.features);
    if (!files.arms_file.empty()) config.arms_file = std::filesystem::absolute(files.arms_file);
    config.combine = files.combine;
    if (roles.empty()) config.environment = std::filesystem::absolute(local.files.environment);
    roles.push_back(std::move(config));
  }
  if (roles.size() != base.participants) throw std::invalid_argument("a file for each participant");
  if (!base.mask_generator) {
    base.set_role(O3mRole::mask_generator);
    roles.push_back(std::move(base));
  }
  return roles;
}

O3mOutcome launch_local_o3m(const LocalO3m& local, const std::function<void(const ProgressState&)>& progress,
                            const std::atomic<bool>& interrupted) {
  std::vector<O3mSettings> roles = local_o3m_roles(local);
  const auto is_active = [](const RoleSettings& role) { return role.role_word == "active"; };
  const LocalProcesses processes{pointers_to(roles), local.run.steps, is_active, local.record_scores, {}, {},
                                 local.program};
  O3mOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  run_local_processes(processes, progress, interrupted, [&] {
    outcome.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const O3mSettings& role : roles) outcome.reports.push_back(read_o3m_report(role.report));
  });
  return outcome;
}

O3mParameters local_parameters(const O3mOptions& options, const O3mInputs& inputs) {
  std::vector<std::size_t> columns;
  std::vector<double> bounds;
  for (const ParticipantContexts& own : inputs.participants) {
    columns.push_back(own.columns);
    bounds.push_back(own.bound);
  }
  O3mParameters parameters = o3m_parameters(options.run, std::move(columns), std::move(bounds));
  if (parameters.steps == 0) parameters.steps = inputs.steps();
  if (parameters.steps == 0 || parameters.steps > inputs.steps()) {
    throw InputError("--steps",
                     fmt::format("{} asked for, but the files have 1 to {} to play", parameters.steps, inputs.steps()));
  }
  parameters.arms = inputs.arms();
  if (parameters.mask_generator && *parameters.mask_generator >= parameters.participants()) {
    throw InputError("--mask-generator", fmt::format("there is no passive participant {}, but 1 to {}",
                                                     *parameters.mask_generator, parameters.participants() - 1));
  }
  (void)plan_o3m(parameters);
  return parameters;
}

LocalO3m local_o3m(const O3mOptions& options, const O3mParameters& parameters) {
  LocalO3m local;
  local.files = options.files;
  local.record_scores = options.compare_central;
  O3mSettings& run = local.run = options.run;
  run.participants = parameters.participants();
  run.steps = parameters.steps;
  run.arms = parameters.arms;
  if (run.insecure_seed) {
    const Seed root = Seed::insecure_from_number(*run.insecure_seed).derive("o3m");
    run.insecure_seed = Prg(root.derive("seed")).next() >> 1;  // shifted, because the config needs a positive integer
    run.session = hex(root.derive("session").expose());
  } else {
    run.session = fresh_session();
  }
  return local;
}

O3mResult assemble_result(const O3mOptions& options, const O3mInputs& inputs, const O3mParameters& parameters,
                          const O3mOutcome& outcome) {
  O3mResult result = described(options, inputs, parameters);
  const O3mRoleReport& active = outcome.active();
  result.arms = active.arms;
  result.rewards = active.rewards;
  add_rewards(result, inputs.environment);
  add_regret(result, inputs.environment);
  add_costs(result, outcome);
  if (options.compare_central) {
    result.central = compare_with(play_central(inputs, parameters, active.stream_seed), active.arms, active.scores);
  }
  return result;
}

O3mResult failed_result(const O3mOptions& options, const O3mInputs& inputs, const O3mParameters& parameters,
                        const std::string& error) {
  O3mResult result = described(options, inputs, parameters);
  result.fail(error);
  return result;
}

}  // namespace sotto::apps::o3m
