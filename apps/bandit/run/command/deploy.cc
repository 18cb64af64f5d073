#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/role/role_site.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/checks.h"
#include "apps/kit/files/best_bits.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

std::string scaling(const BanditSettings& run) {
  if (!run.max_norm) return {};
  if (run.joint_norm_holds) {
    return fmt::format("Joint rows keep to norm {:.6g}, as somebody has seen.\n   ", *run.max_norm);
  }
  return fmt::format("Scale every row to norm {:.6g} at most,\n   max_norm / sqrt({}). ",
                     *run.max_norm / std::sqrt(static_cast<double>(run.holders().count())), run.holders().count());
}

Finding describe_own_data(const BanditSettings& config, const std::string& subject) {
  if (brings_features(config)) {
    const prepare::Block block = prepare::read_block(config.data);
    const bool may_have_bits = config.task == BanditTask::evaluate && config.role() == BanditRole::party;
    const bool has_bits = may_have_bits && read_best_bits(config.data, block.table.rows).has_value();
    return good(subject,
                fmt::format("{}: {}, {}{}", config.data.string(), counted(block.table.rows, "row"),
                            counted(block.table.columns.size(), "column"), has_bits ? ", shares of best arms" : ""));
  }
  if (!config.log.empty()) {
    LogExpectation expected;
    expected.arms = config.arms;
    expected.reward_scale = config.reward_scale;
    expected.clips_rewards = config.clip_rewards;
    const EventLog log = EventLog::read(config.log, expected);
    return good(subject, fmt::format("{}: {}, rewards divided by {:g}{}", config.log.string(),
                                     counted(log.rows(), "event"), log.reward_scale(),
                                     log.has_propensities()         ? ", propensities"
                                     : log.has_best_probabilities() ? ", probabilities of best and other arms"
                                                                    : ""));
  }
  const prepare::Environment environment = prepare::Environment::read(config.environment, config.arms);
  return good(subject,
              fmt::format("{}: {}, {}, rewards {}", config.environment.string(), counted(environment.rows(), "row"),
                          counted(environment.arms(), "arm"), environment.binary_rewards() ? "0 or 1" : "in [-1, 1]"));
}

Findings check_own_data(const BanditSettings& config) {
  const std::string subject = brings_features(config) ? "data" : config.log.empty() ? "environment" : "log";
  try {
    const RoleSite site(config, config, config);
    Findings findings{describe_own_data(config, subject)};
    for (const std::string& text : site.warnings()) {
      findings.push_back(config.log.empty() ? note(subject, text, "") : warning(subject, text, ""));
    }
    return findings;
  } catch (const Error& error) {
    return {problem(subject, error.exit_code(), error.what())};
  }
}

}  // namespace

void BanditSettings::name_files() {
  if (checkpoint_every > 0) state = "state";
  if (brings_features(*this)) data = "data.csv";
  if (task != BanditTask::play) {
    if (role() == BanditRole::actor) log = "log.csv";
  } else if (gets_rewards(*this)) {
    environment = "environment.csv";
  }
  if (events_before > 0 && role() == BanditRole::party) from = "../before/config.toml";
  if (is_outside(*this) && separate_rewarder) arm_socket = "../arms";
}

// The roles have not announced the bounds of their rows yet, so this plan uses assumed bounds.
void BanditSettings::check_plan() const {
  if (joint_norm_holds && !max_norm) throw InputError("--joint-norm-holds", "needs --max-norm");
  require_holders(*this);
  require_randomness(*this);
  const std::size_t count = holders().count();
  const std::vector<std::size_t> one_each(count, 1);
  const std::vector<double> bounds(count, 1 / static_cast<double>(count));
  (void)plan_bandit(bandit_parameters(*this, one_each, bounds));
}

std::string BanditSettings::in_short() const {
  const std::string beside = owners > 0 ? ", " + counted(owners, "owner") : "";
  return fmt::format("{}{}, {}{}, {}, epsilon {}", counted(parties, "party"), beside, counted(steps, "step"),
                     in_batches() ? fmt::format(" in batches of {}", batch) : "", counted(arms, "arm"), epsilon);
}

std::vector<ReadmeStep> BanditSettings::readme_steps() const {
  using When = ReadmeStep::When;
  std::vector<ReadmeStep> todo;
  if (!data.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format("Put your features into {}: a CSV with a header and numeric columns, a row a case. Row t is\n"
                     "   about the same case at all parties{}. {}The file stays on your machine.",
                     data.string(), owners > 0 ? " and owners" : "", scaling(*this))});
  }
  if (!environment.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format("Put the rewards of the arms into {}: a CSV with a column `label` (reward 1 where\n"
                     "   arm = label), or with columns reward_0, reward_1 and so on. Row t is about the case of\n"
                     "   the parties' row t.",
                     environment.string())});
  }
  if (!log.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format("Put your log into {}: a CSV with the columns arm and reward, and propensity where it is to be\n"
                     "   evaluated, a row an event. Row t is about the case of the parties' row t; with a column id\n"
                     "   it may stand in any order where the parties sorted theirs.",
                     log.string())});
  }
  if (!from.empty()) {
    todo.push_back({When::with_data, "Name your config of the run whose model this one begins from: from in [role]."});
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
  if (!world.empty()) {
    findings.push_back(note("world", world + " is asked once the run begins", "have the simulator listen there"));
  } else if (brings_features(*this) || !environment.empty() || !log.empty()) {
    findings = check_own_data(*this);
  }
  if (!state.empty()) findings.push_back(sotto::apps::check_state(state));
  return findings;
}

std::string BanditSettings::announcement() const {
  if (role() != BanditRole::party && role() != BanditRole::owner) return {};
  return RoleSite(*this, *this, *this).announcement();
}

namespace {

Findings order_findings(const BanditSettings& run, const std::map<NodeId, std::string>& announcements) {
  constexpr const char* subject = "order of rows";
  const Topology topology = run.topology();
  std::vector<Announcement> announced(topology.parties_and_owners());
  std::vector<std::size_t> without;
  std::size_t known = 0;
  try {
    for (const auto& [party, text] : announcements) {
      if (text.empty() || !run.holders().brings(party)) continue;
      ++known;
      announced[party] = parse_announcement(text, topology.name(party));
      if (!announced[party].order && !announced[party].by_step) without.push_back(party);
    }
    check_orders(announced, topology);
  } catch (const DisagreementError& error) {
    return {problem(subject, error.exit_code(), error.what())};
  } catch (const ProtocolError& error) {
    if (run.max_norm) return {};  // norm_findings() reports the malformed announcement
    return {problem(subject, error.exit_code(), error.what(), "install the same sotto everywhere")};
  }
  if (!without.empty()) {
    return {note(subject, order_warning(without, topology), "")};
  }
  if (known < 2) return {};
  return {good(subject, "the rows of the parties that have told are about the same cases")};
}

Findings norm_findings(const BanditSettings& run, const std::map<NodeId, std::string>& announcements) {
  constexpr const char* subject = "joint norm";
  if (!run.max_norm) return {};
  const std::vector<std::string> names = holder_names(run);
  std::vector<double> bounds;
  for (std::size_t holder = 0; holder < names.size(); ++holder) {
    const NodeId node = run.holders().node(holder);
    const auto announced = announcements.find(node);
    if (announced == announcements.end() || announced->second.empty()) {
      return {note(subject, fmt::format("not known: {} has told no bound on its rows", names[holder]),
                   run.topology().is_owner(node) ? "owners only connect, and tell it as the run begins"
                                                 : "run it again where party and peers are all there")};
    }
    try {
      bounds.push_back(parse_announcement(announced->second, names[holder]).bound);
    } catch (const ProtocolError& error) {
      return {problem(subject, error.exit_code(), error.what(), "install the same sotto everywhere")};
    }
  }
  const auto excess = prepare::joint_norm_excess(bounds, *run.max_norm, names);
  if (!excess) {
    return {good(subject, fmt::format("the parties' bounds keep to max_norm = {:.6g}", *run.max_norm))};
  }
  if (run.joint_norm_holds) {
    return {note(subject, *excess,
                 "joint_norm_holds says that joint rows keep to it all the same; who set it must have seen them")};
  }
  return {problem(subject, ExitCode::disagreement, *excess, prepare::joint_norm_advice(bounds.size(), *run.max_norm))};
}

}  // namespace

Findings BanditSettings::check_announcements(const std::map<NodeId, std::string>& announcements) const {
  Findings findings = norm_findings(*this, announcements);
  for (Finding& finding : order_findings(*this, announcements)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace sotto::apps::bandit::run
