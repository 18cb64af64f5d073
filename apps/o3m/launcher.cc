#include "sotto/apps/o3m/launcher.h"

#include <chrono>
#include <stdexcept>

#include "sotto/apps/kit/deploy/local_processes.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
