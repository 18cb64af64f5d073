// What `sotto init` and `sotto doctor` know of a role of the private bandit.
#include <fmt/format.h>

#include <cmath>

#include "sotto/apps/bandit/role/role_site.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/apps/kit/deploy/checks.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

// What every party does to its rows, so that the joint rows keep to max_norm.
std::string scaling(const BanditSettings& run) {
  if (!run.max_norm) return {};
  if (run.joint_norm_holds) {
    return fmt::format("Joint rows keep to norm {:.6g}, as somebody has seen.\n   ", *run.max_norm);
  }
  return fmt::format("Scale every row to norm {:.6g} at most,\n   max_norm / sqrt({}). ",
                     *run.max_norm / std::sqrt(static_cast<double>(run.parties)), run.parties);
}

Finding check_own_data(const BanditSettings& config) {
  const bool has_features = config.role() == BanditRole::party;
  const std::string subject = has_features ? "data" : "environment";
  try {
    const RoleSite reads_and_checks(config);
    if (has_features) {
      const Block block = read_block(config.data);
      return good(subject, fmt::format("{}: {}, {}", config.data.string(), counted(block.table.rows, "row"),
                                       counted(block.table.columns.size(), "column")));
    }
    const Environment environment = Environment::read(config.environment, config.arms);
    return good(subject, fmt::format("{}: {}, {}, rewards {}", config.environment.string(),
                                     counted(environment.rows(), "row"), counted(environment.arms(), "arm"),
                                     environment.binary_rewards() ? "0 or 1" : "in [-1, 1]"));
  } catch (const Error& error) {
    return problem(subject, error.exit_code(), error.what());
  }
}

}  // namespace

void BanditSettings::name_files() {
  if (checkpoint_every > 0) state = "state";
  if (role() == BanditRole::party) data = "data.csv";
  if (gets_rewards(*this)) environment = "environment.csv";
  // Beside the folders of both.
  if (is_outside(*this) && separate_rewarder) arm_socket = "../arms";
}

// Widths depend on bounds that are announced later.
void BanditSettings::check_plan() const {
  if (joint_norm_holds && !max_norm) throw InputError("--joint-norm-holds", "needs --max-norm");
  const std::vector<std::size_t> columns(parties, 1);
  const std::vector<double> bounds(parties, 1 / static_cast<double>(parties));
  (void)plan_bandit(bandit_parameters(*this, columns, bounds));
}

std::string BanditSettings::in_short() const {
  return fmt::format("{}, {}{}, {}, epsilon {}", counted(parties, "party"), counted(steps, "step"),
                     in_batches() ? fmt::format(" in batches of {}", batch) : "", counted(arms, "arm"), epsilon);
}

std::vector<ReadmeStep> BanditSettings::readme_steps() const {
  using When = ReadmeStep::When;
  std::vector<ReadmeStep> todo;
  if (!data.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format("Put your features into {}: a CSV with a header and numeric columns, a row a case. Row t is\n"
                     "   about the same case at all parties. {}The file stays on your machine.",
                     data.string(), scaling(*this))});
  }
  if (!environment.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format("Put what the arms earn into {}: a CSV with a column `label` (reward 1 where\n"
                     "   arm = label), or columns reward_0, reward_1, ... Row t is about the case of the parties'\n"
                     "   row t.",
                     environment.string())});
  }
  if (!arm_socket.empty()) {
    todo.push_back({When::with_data,
                    "Keep the folders of the actor and the rewarder side by side on one machine: in a simulation\n"
                    "   the actor tells the rewarder's environment there which arm it pulled."});
  }
  if (checkpoint_every > 0) {
    todo.push_back({When::at_the_end,
                    "If the run breaks off, all start again from the last checkpoint that they have.",
                    {fmt::format("sotto {} --config config.toml --resume", role_word)}});
  }
  return todo;
}

Findings BanditSettings::check_files() const {
  Findings findings;
  if (role() == BanditRole::party || !environment.empty()) findings.push_back(check_own_data(*this));
  if (!state.empty()) findings.push_back(sotto::apps::check_state(state));
  return findings;
}

std::string BanditSettings::announcement() const {
  if (role() != BanditRole::party) return {};
  return RoleSite(*this).announcement();
}

Findings BanditSettings::check_announcements(const std::map<NodeId, std::string>& announcements) const {
  constexpr const char* subject = "joint norm";
  if (!max_norm) return {};
  std::vector<double> bounds;
  for (NodeId party = 0; party < parties; ++party) {
    const auto told = announcements.find(party);
    if (told == announcements.end() || told->second.empty()) {
      return {note(subject, fmt::format("not known: party {} has told no bound on its rows", party),
                   "run it again where party and peers are all there")};
    }
    try {
      bounds.push_back(parse_announcement(told->second, topology().name(party)).bound);
    } catch (const ProtocolError& error) {
      return {problem(subject, error.exit_code(), error.what(), "install the same sotto everywhere")};
    }
  }
  const auto excess = joint_norm_excess(bounds, *max_norm);
  if (!excess) {
    return {good(subject, fmt::format("the parties' bounds keep to max_norm = {:.6g}", *max_norm))};
  }
  if (joint_norm_holds) {
    return {note(subject, *excess,
                 "joint_norm_holds says that joint rows keep to it all the same; who set it must have seen them")};
  }
  return {problem(subject, ExitCode::disagreement, *excess, joint_norm_advice(parties, *max_norm))};
}

}  // namespace sotto::apps
