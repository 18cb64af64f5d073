#include "sotto/apps/o3m/launcher.h"

#include <chrono>
#include <stdexcept>

#include "sotto/apps/kit/deploy/local_processes.h"

namespace sotto::apps {

std::vector<RoleConfig> local_o3m_roles(const LocalO3m& local) {
  RoleConfig base;
  base.run = local.run;
  if (!base.run.o3m) throw std::invalid_argument("no run of O3M");
  base.run.o3m->acknowledge_leakage = true;
  std::vector<RoleConfig> roles;
  for (const ContextFiles& files : participant_files(local.files, base.run.arms)) {
    RoleConfig config = base;
    config.role = roles.empty() ? Role::active : Role::passive;
    config.id = roles.size();
    config.contexts = std::filesystem::absolute(files.features);
    if (!files.arms_file.empty()) config.arms_file = std::filesystem::absolute(files.arms_file);
    config.combine = files.combine;
    if (roles.empty()) config.environment = std::filesystem::absolute(local.files.environment);
    roles.push_back(std::move(config));
  }
  if (roles.size() != base.run.parties) throw std::invalid_argument("a file for each participant");
  if (!base.run.o3m->mask_generator) {
    base.role = Role::mask_generator;
    roles.push_back(std::move(base));
  }
  return roles;
}

O3mOutcome launch_local_o3m(const LocalO3m& local,
                            const std::function<void(const ProgressState&)>& progress,
                            const std::atomic<bool>& interrupted) {
  LocalProcesses processes{local_o3m_roles(local), {}, local.program};
  if (local.record_scores) processes.environment_flags.emplace_back("--record-scores");
  O3mOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  run_local_processes(processes, progress, interrupted, [&](const std::vector<RoleConfig>& roles) {
    outcome.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const RoleConfig& role : roles) outcome.reports.push_back(read_o3m_report(role.report));
  });
  return outcome;
}

}  // namespace sotto::apps
