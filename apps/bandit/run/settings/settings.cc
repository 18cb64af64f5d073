#include "apps/bandit/run/settings/settings.h"

#include <fmt/format.h>
#include <sys/un.h>

#include "apps/bandit/run/settings/answer_delay.h"
#include "apps/kit/dp/samplers.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/setting.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

using S = BanditSettings;

void check_joint_norm(const S& config, const Section& run) {
  if (!config.joint_norm_holds || config.max_norm) return;
  throw InputError(
      run.where("joint_norm_holds"),
      "there is no max_norm that the joint rows could keep to: set it in [run], or leave joint_norm_holds out");
}

void check_preprocessing(const S& config, const Section& role, const Section& run) {
  if (const std::string wrong = stranger_to(config.preprocessing, config.role_word); !wrong.empty()) {
    throw InputError(role.where("name"), wrong);
  }
  if (config.preprocessing == RandomnessBy::dealer) return;
  require_randomness(config.preprocessing, config.holders(), config.arms, run.where("preprocessing"));
  const char* mode = name_of(config.preprocessing);
  if (config.deal_ahead) {
    throw InputError(run.where("deal_ahead"),
                     fmt::format("preprocessing = \"{}\" has no dealer: leave this out", mode));
  }
  if (config.task != BanditTask::play) {
    throw InputError(run.where("task"), fmt::format("preprocessing = \"{}\" is for runs that play", mode));
  }
}

void check_holders(const S& config, const Section& role, const Section& run) {
  require_holders(config.holders(), run.where(config.computing_only > 0 ? "computing_only" : "owners"));
  if (config.role() == BanditRole::party && !brings_features(config) && !config.data.empty()) {
    throw InputError(role.where("data"), fmt::format("{} only computes, by computing_only = {} in [run]: leave it out",
                                                     config.name(), config.computing_only));
  }
}

void check_world(const S& config, const Section& role) {
  if (config.columns && (config.world.empty() || config.role() != BanditRole::party)) {
    throw InputError(role.where("columns"), "is of a party whose features a world tells: leave it out");
  }
  if (config.world.empty()) return;
  if (config.owners > 0 || config.computing_only > 0) {
    throw InputError(role.where("world"),
                     "tells every compute party its features: leave owners and computing_only out");
  }
  static_cast<void>(world_path(config.world, role.where("world")));
  if (config.role() != BanditRole::party && !gets_rewards(config)) {
    throw InputError(role.where("world"), config.display_name() + " asks a world for nothing: leave it out");
  }
  if (!config.data.empty() || !config.environment.empty()) {
    throw InputError(role.where("world"),
                     "excludes data and environment in [role]: features and rewards come from one of them");
  }
  if (config.role() == BanditRole::party && !config.columns) role.refuse_missing("columns");
  if (!config.max_norm) {
    throw InputError(role.where("world"), "needs max_norm in [run]: its rows are not known before they are asked for");
  }
}

void check_task(const S& config, const Section& role, const Section& run) {
  if (config.task == BanditTask::play) {
    if (!config.log.empty()) {
      throw InputError(role.where("log"), "is for task = \"learn\" or \"evaluate\" in [run]: leave it out");
    }
    return;
  }
  const auto exclude = [&](bool is_there, const Section& table, const char* key, const char* why) {
    if (is_there) throw InputError(table.where(key), fmt::format("the task is about a log: {}", why));
  };
  exclude(config.separate_rewarder, run, "separate_rewarder", "the actor has its arms and rewards, so leave this out");
  exclude(config.reward_lag > 0, run, "reward_lag", "all rewards are known, so leave this out");
  exclude(!config.world.empty(), role, "world", "a world has none; leave this out");
  exclude(!config.environment.empty(), role, "environment", "rewards are in it, so leave this out");
  exclude(config.task == BanditTask::evaluate && config.checkpoint_every > 0, run, "checkpoint_every",
          "an evaluation keeps no model; learn it with task = \"learn\"");
  require_propensities(config, [&](const char* key) { return run.where(key); });
  if (config.role() == BanditRole::actor && config.log.empty()) role.refuse_missing("log");
  if (config.role() != BanditRole::actor && !config.log.empty()) {
    throw InputError(role.where("log"), config.display_name() + " has no log, the actor has it: leave it out");
  }
  if (config.segment.empty()) return;
  if (config.role() != BanditRole::actor || config.task != BanditTask::evaluate || config.in_one_bit) {
    throw InputError(role.where("segment"),
                     "is of the actor, where a log is evaluated and the answers are counts: leave it out");
  }
}

void check_begin(const S& config, const Section& role) {
  const bool begins = config.events_before > 0;
  if (!config.from.empty() && config.role() != BanditRole::party) {
    throw InputError(role.where("from"), "is of parties, which have the model: leave it out");
  }
  if (begins && config.role() == BanditRole::party && config.from.empty()) role.refuse_missing("from");
  if (begins && !config.max_norm) {
    throw InputError(role.where("from"), "needs max_norm in [run]: the model was learned of contexts within one");
  }
}

void check_inputs(const S& config, const Section& role) {
  const bool brings = brings_features(config);
  if (config.task != BanditTask::play && !brings) return;
  const bool has_world = !config.world.empty();
  if (brings && config.data.empty() && !has_world) role.refuse_missing("data");
  if (gets_rewards(config) && config.environment.empty() && !has_world) role.refuse_missing("environment");
  if (is_outside(config) && config.separate_rewarder && config.arm_socket.empty()) {
    role.refuse_missing("arm_socket");
  }
  constexpr std::size_t longest_socket = sizeof(sockaddr_un::sun_path) - 1;
  if (config.arm_socket.string().size() > longest_socket) {
    throw InputError(role.where("arm_socket"), fmt::format("'{}' is too long for a socket's path, {} bytes at most",
                                                           config.arm_socket.string(), longest_socket));
  }
}

void check_account(const S& config, const Section& account) {
  if (config.learning_epsilon > 0 && config.learning_epsilon < least_count_epsilon) {
    throw InputError(account.where("learning_epsilon"), "expected 0, or a number from 0.001 to 1000");
  }
  if (config.bit_alone && config.task == BanditTask::evaluate && !config.in_one_bit) {
    throw InputError(account.where("answers"),
                     "this role gives an answer in one bit alone: set answers = \"bit\" in [run] at all roles");
  }
  if (config.learning_epsilon > 0 && config.uncovered_learning) {
    throw InputError(account.where("uncovered_learning"), "learning_epsilon covers what is learned: leave this out");
  }
}

void check_state(const S& config, const Section& role, const Section& run) {
  if (config.checkpoint_every > 0 && config.state.empty()) {
    throw InputError(run.where("checkpoint_every"),
                     fmt::format("checkpoints every {} need a folder: name it with state in [role] or --state, or set "
                                 "checkpoint_every = 0 at all roles",
                                 counted(config.checkpoint_every, "step")));
  }
  if (config.checkpoint_every == 0 && !config.state.empty()) {
    throw InputError(role.where("state"),
                     "there is nothing to store: set checkpoint_every in [run] at all roles to a number of steps, or "
                     "leave state out");
  }
  if (!config.state.empty() && config.key.empty()) {
    throw InputError(
        role.where("state"),
        "the store is encrypted with the role's key: name it with key in [role] or --key, `sotto keys new` makes one");
  }
}

void check_stock(const S& config, const Section& role) {
  if (config.stock.empty()) return;
  if (config.preprocessing == RandomnessBy::dealer) {
    throw InputError(role.where("stock"),
                     "a dealer makes the randomness of this run: leave it out, or set "
                     "preprocessing in [run]");
  }
  if (config.key.empty()) {
    throw InputError(
        role.where("stock"),
        "the stock is encrypted with the role's key: name it with key in [role] or --key, `sotto keys new` makes one");
  }
}

void check_delay(const S& config, const Section& role) {
  if (config.delay.empty()) return;
  if (!is_outside(config)) {
    throw InputError(role.where("delay"), "only the actor and the rewarder delay their answers; leave it out");
  }
  require_delay_within(parse_answer_delay(config.delay, role.where("delay")), config.round_deadline_seconds,
                       role.where("delay"));
}

}  // namespace

std::vector<RunRole> S::roles() const {
  std::vector<RunRole> roles;
  for (std::size_t number = 0; number < parties; ++number) {
    roles.push_back(run_role("party", number, number));
  }
  for (std::size_t number = 0; number < owners; ++number) {
    roles.push_back(run_role("owner", number, topology().owner(number)));
  }
  add_makers(roles);
  roles.push_back(run_role("actor", 0, actor_of(topology())));
  if (separate_rewarder) roles.push_back(run_role("rewarder", 0, rewarder_of(topology())));
  return roles;
}

void S::check(const ConfigDocument& document) const {
  const Section run(document, "run");
  const Section role_table(document, "role");
  check_joint_norm(*this, run);
  check_holders(*this, role_table, run);
  check_preprocessing(*this, role_table, run);
  if (role() == BanditRole::rewarder && !separate_rewarder) {
    throw InputError(role_table.where("name"), "a rewarder of its own needs separate_rewarder = true in [run]");
  }
  check_task(*this, role_table, run);
  check_begin(*this, role_table);
  check_world(*this, role_table);
  check_inputs(*this, role_table);
  check_delay(*this, role_table);
  check_state(*this, role_table, run);
  check_stock(*this, role_table);
  check_account(*this, Section(document, "account"));
}

std::filesystem::path world_path(const std::string& address, const std::string& where) {
  constexpr std::string_view scheme = "unix:";
  constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;
  if (!address.starts_with(scheme) || address.size() == scheme.size() || address.find('\0') != std::string::npos) {
    throw InputError(where, "must be unix:PATH, the socket at which a world listens");
  }
  std::filesystem::path path = address.substr(scheme.size());
  if (path.string().size() > longest_path) {
    throw InputError(where, fmt::format("the path is too long for a socket's, {} bytes at most", longest_path));
  }
  return path;
}

bool brings_features(const BanditLinks& role, const BanditRun& run) {
  if (role.role() == BanditRole::owner) return true;
  return role.role() == BanditRole::party && run.holders().brings(static_cast<NodeId>(role.id));
}

bool is_outside(const BanditLinks& role) {
  return role.role() == BanditRole::actor || role.role() == BanditRole::rewarder;
}

bool gets_rewards(const BanditLinks& role, const BanditRun& run) {
  return role.role() == (run.separate_rewarder ? BanditRole::rewarder : BanditRole::actor);
}

}  // namespace sotto::apps::bandit::run
