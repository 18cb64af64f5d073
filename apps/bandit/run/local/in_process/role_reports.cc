#include "apps/bandit/run/local/in_process/role_reports.h"

#include "apps/bandit/model/phases.h"
#include "apps/kit/program/about.h"
#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit::run {

std::vector<RoleReport> reports_of(const BanditSettings& settings, const Ledger& planned, const PlayedBandit& played,
                                   const RoleClock& clock, double seconds) {
  const Cost steps = cost_of_steps(played.ledger);
  std::vector<RoleReport> reports;
  for (const RunRole& role : settings.roles()) {
    const bool is_dealer = role.node == net::dealer_id;
    const auto node = is_dealer ? std::nullopt : std::optional<NodeId>(role.node);
    RoleReport& report = reports.emplace_back();
    report.role = role.name;
    report.insecure = insecure_options(settings);
    report.joint_norm_holds = true;
    report.rounds = played.rounds;
    report.cpu_seconds = clock.of(node);
    report.peak_memory_bytes = peak_memory_bytes();
    report.step_rounds = steps.rounds;
    report.step_dealt_bytes = steps.dealt;
    report.dealt_bytes = played.dealt;
    report.preprocessing_rounds = played.ledger.of(preprocessing_phase).rounds;
    if (is_dealer) continue;
    report.bytes_sent = played.sent.at(role.node);
    report.planned_bytes_sent = planned.total().sent.at(role.node);
    report.step_bytes_sent = steps.sent.at(role.node);
    report.online_seconds = seconds - clock.of(std::nullopt);
  }
  return reports;
}

}  // namespace sotto::apps::bandit::run
