#include "sotto/apps/o3m/run_role.h"

#include <chrono>
#include <exception>
#include <utility>

#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/apps/kit/deploy/role_mesh.h"
#include "sotto/apps/kit/process/usage.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/apps/o3m/masked_contexts.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/apps/o3m/role_site.h"
#include "sotto/net/mesh/driver/run.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;

O3mPlan agree(const O3mSettings& run, const net::Mesh& mesh) {
  AnnouncedData data = announced_data(mesh);
  return plan_o3m(o3m_parameters(run, std::move(data.columns), std::move(data.bounds)));
}

void add(const MaskedRun& run, O3mRoleReport& report) {
  report.rounds = run.rounds;
  report.bytes_sent = run.bytes_sent;
  report.planned_bytes_sent = run.planned_bytes_sent;
  report.bytes_received = run.bytes_received;
  report.masking_seconds = run.seconds;
  report.waiting_seconds = run.seconds_waiting;
}

}  // namespace

O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted) {
  const Clock::time_point begin = Clock::now();
  O3mRoleSite site(config);
  net::Mesh mesh = connect_role(config, site.announcement(), {}, extras.listen_descriptor, interrupted);
  O3mRoleReport report;
  report.role = config.name();
  report.insecure = insecure_options(config);
  RoleProgress progress(extras, config.steps);
  std::optional<O3mPlan> plan;
  try {
    plan = agree(config, mesh);
    site.open(
        *plan, extras.record, [&](std::uint64_t steps, double average) { progress.tell(steps, average, 0); },
        interrupted);
  } catch (...) {
    net::fail_run(std::current_exception(), mesh);
  }
  report.leakage = leakage_words(plan->parameters);
  report.setup_seconds = seconds_since(begin);
  add(run_masked(mesh, *plan, site, site.secret(), driver_options(config, interrupted)), report);
  site.finish(report);
  report.cpu_seconds = process_cpu_seconds();
  report.peak_memory_bytes = peak_memory_bytes();
  report.total_seconds = seconds_since(begin);
  if (!config.report.empty()) write_o3m_report(config.report, report);
  return report;
}

}  // namespace sotto::apps
