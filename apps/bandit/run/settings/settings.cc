#include "apps/bandit/run/settings/settings.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <cmath>

#include "apps/bandit/run/settings/answer_delay.h"
#include "apps/bandit/model/privacy.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/preprocessing_setting.h"
#include "sotto/protocol/error/errors.h"
#include "core/text/count.h"
#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps {
namespace {

using S = BanditSettings;

bool evaluates(const S& s) { return s.task == BanditTask::evaluate; }

// No topology has more, and the roles follow from it before the rest is checked.
Setting owners_setting() {
  Setting setting =
      number("run.owners", &S::owners, {0, max_owners}, "Organisations that bring features and do not compute")
          .expecting("a whole number of owners, 0 to 8")
          .known_where_all_is()
          .only_if<S>([](const S& s) { return s.owners > 0; });
  setting.read = [read = setting.read](const Section& run, Settings& settings) {
    read(run, settings);
    const auto& [parties, computing_only, owners] = static_cast<const S&>(settings).holders();
    if (owners == 0 || parties + owners <= max_owners_and_parties) return;
    throw InputError(run.where("owners"),
                     fmt::format("a run has at most {} compute parties and owners together, not {} "
                                 "and {}",
                                 max_owners_and_parties, parties, owners));
  };
  return setting;
}

std::vector<Setting> bandit_settings() {
  return {
      number("run.parties", &S::parties, {2, max_parties}, "Compute parties").needed().known_where_all_is(),
      number("run.computing_only", &S::computing_only, {0, max_parties},
             "Compute parties, the last ones, that bring no features")
          .expecting("a whole number of compute parties")
          .known_where_all_is()
          .only_if<S>([](const S& s) { return s.computing_only > 0; }),
      owners_setting(),
      steps_setting<S>(),
      arms_setting<S>(max_arms),
      number("run.epsilon", &S::epsilon, {0, 1}, "Probability of exploring"),
      number("run.bits", &S::bits, {12, 24},
             "Fraction bits of features at most; all other widths follow from the bounds on the run"),
      number("run.max_norm", &S::max_norm, {0, 8, true},
             "Public bound on the norm of a joint context; without it the parties announce bounds")
          .shown_as("1.0"),
      choice("run.joint_norm_holds", &S::joint_norm_holds,
             "Somebody has seen that the joint contexts keep to max_norm, which the parties' bounds alone do not "
             "make sure of")
          .with_flag("--joint-norm-holds")
          .only_if<S>([](const S& s) { return s.max_norm.has_value(); }),
      word("run.rewards", &S::binary_rewards, {{"binary", true}, {"real", false}},
           "\"binary\", all 0 or 1, or \"real\", in [-1, 1]")
          .known_where_all_is(),
      word(
          "run.contexts_ahead", &S::contexts_ahead, {{"yes", true}, {"no", false}},
          "Whether a context is known while the step before it is played, as those of files are: saves a round a step; "
          "without a meaning in batches"),
      word("run.update", &S::update, {{"all-arms", StepUpdate::all_arms}, {"pulled-arm", StepUpdate::pulled_arm}},
           "What a single step computes: for all arms alike, in the fewest rounds, or for the pulled arm, which is "
           "selected "
           "first in shares, in more rounds with a fraction of the bytes, such as by oblivious transfers; without a "
           "meaning "
           "in batches"),
      preprocessing_setting<S>(),
      choice("run.deal_ahead", &S::deal_ahead, "The last party takes all correlations before the first step"),
      choice("run.reveal_model", &S::reveal_model, "Open the model to the parties at the end"),
      choice("run.separate_rewarder", &S::separate_rewarder, "The rewarder is a role of its own, not the actor"),
      number("run.batch", &S::batch, {1, 4096},
             "Events (steps) that are decided, and learned, at once, such as 256; 1: each is learned before the next")
          .expecting("a whole number of events, 1 to 4096")
          .with_flag("--batch", "B"),
      number("run.reward_lag", &S::reward_lag, {},
             "Further events that are decided before the reward of one is known, such as 1000; 0: it is known at once")
          .expecting("a whole number of events")
          .with_flag("--reward-lag", "EVENTS"),
      number("run.checkpoint_every", &S::checkpoint_every, {},
             "Steps between two checkpoints that a run can be resumed from; 0: none")
          .expecting("a whole number of steps, 0 for no checkpoints"),
      word("run.task", &S::task,
           {{"play", BanditTask::play}, {"learn", BanditTask::learn}, {"evaluate", BanditTask::evaluate}},
           "Play; or learn from the actor's log and decide nothing; or learn from a part of it and say what the model "
           "would have earned in the rest")
          .known_where_all_is(),
      number("run.reward_scale", &S::reward_scale, {0, 1e12, true},
             "What the rewards of a log are divided by, so that they are in [-1, 1]")
          .expecting("a number above 0")
          .known_where_all_is(),
      choice("run.clip_rewards", &S::clip_rewards,
             "Count rewards of a log that are larger than the scale as the scale, so that a few do not make all others "
             "small")
          .known_where_all_is()
          .only_if<S>([](const S& s) { return s.task != BanditTask::play; }),
      number("run.events_before", &S::events_before, {},
             "Events that the model has learned which the run begins from; 0: it begins from none")
          .expecting("a whole number of events")
          .known_where_all_is(),
      number("run.held_out", &S::held_out, {0, 1, true}, "Part of a log that is evaluated; the rest is learned before")
          .known_where_all_is()
          .only_if<S>(evaluates),
      word("run.split", &S::mixed, {{"last", false}, {"mixed", true}},
           "Which part of a log is evaluated: its last events, or some from everywhere")
          .known_where_all_is()
          .only_if<S>(evaluates),
      word(
          "run.propensities", &S::propensities,
          {{"logged", Propensities::logged}, {"frequencies", Propensities::frequencies}},
          "With what probability arms were played: as the log says, or estimated by each arm's share of the log, which "
          "is right only where they were played at random whatever the case")
          .known_where_all_is()
          .only_if<S>(evaluates),
      number(
          "run.least_propensity", &S::least_propensity, {0, 1, true},
          "The least probability that counts: an event that is evaluated weighs at most one over it; below, the log is "
          "refused")
          .known_where_all_is()
          .only_if<S>(evaluates),
      choice("run.clip_weights", &S::clip_weights,
             "Cut the weights of less probable events to that instead, which makes values wrong by a little")
          .known_where_all_is()
          .only_if<S>(evaluates),
      number(
          "run.arms_offered", &S::arms_offered, {0, max_arms},
          "How many of the arms each event had to choose from, where it was not all of them; 0: all that were played")
          .expecting("a whole number of arms")
          .known_where_all_is()
          .only_if<S>(evaluates),
      choice(
          "run.full_support", &S::full_support,
          "You know that each arm had a chance in each event, as in the logs of a service that explores: a mean weight "
          "a little below 1 is then chance")
          .known_where_all_is()
          .only_if<S>(evaluates),

      file("role.data", &S::data, "The features of a party or an owner, CSV").with_flag("--data").as_input(),
      file("role.environment", &S::environment, "What each arm earns, CSV: of the role that gets the rewards")
          .with_flag("--environment")
          .as_input(),
      text("role.world", &S::world, "unix:PATH, the socket at which a world listens",
           "Instead of these files: a simulator that listens at PATH, which is asked for features, or what arms earn")
          .with_flag("--world"),
      number("role.columns", &S::columns, {1, 65536}, "A party's features, where a world tells them")
          .expecting("a whole number of columns")
          .with_flag("--columns", "N"),
      file("role.log", &S::log, "What the actor played before, CSV with arm, reward and maybe propensity and id")
          .with_flag("--log")
          .as_input(),
      file("role.from", &S::from, "A party's config of the run whose model this one begins from, or the folder of it")
          .with_flag("--from"),
      file("role.arm_socket", &S::arm_socket,
           "Where the actor tells a rewarder of its own which arm it pulled: the same path at both, on one machine")
          .with_flag("--arm-socket"),
      file("role.state", &S::state, "Folder of the role's checkpoints")
          .expecting("a folder name")
          .with_flag("--state", "DIR")
          .shown_as("\"state\""),
      file("role.stock", &S::stock, "Folder of the role's stock of randomness, which `sotto prepare-randomness` fills")
          .expecting("a folder name")
          .with_flag("--stock", "DIR")
          .shown_as("\"stock\""),
      text("role.delay", &S::delay, "a delay such as \"until 50ms\"",
           "Delay of what the actor or the rewarder answers: \"until 50ms\", \"uniform 0ms 50ms\" or \"exponential "
           "20ms\"; hides which arm it was from who measures time")
          .with_flag("--delay")};
}

void check_joint_norm(const S& config, const Section& run) {
  if (!config.joint_norm_holds || config.max_norm) return;
  throw InputError(
      run.where("joint_norm_holds"),
      "there is no max_norm that the joint rows could keep to: set it in [run], or leave joint_norm_holds out");
}

// What there is only with a dealer.
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
    throw InputError(role.where("world"), config.spoken_name() + " asks a world for nothing: leave it out");
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

// What a run about a log cannot have beside it.
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
  exclude(evaluates(config) && config.checkpoint_every > 0, run, "checkpoint_every",
          "an evaluation keeps no model; learn it with task = \"learn\"");
  require_propensities(config, [&](const char* key) { return run.where(key); });
  if (config.role() == BanditRole::actor && config.log.empty()) role.refuse_missing("log");
  if (config.role() != BanditRole::actor && !config.log.empty()) {
    throw InputError(role.where("log"), config.spoken_name() + " has no log, the actor has it: leave it out");
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

Program described() {
  Program program;
  program.word = "bandit";
  program.name = "the private bandit";
  program.is_default = true;
  program.version = "epsilon-greedy bandit 5";
  program.roles = {{"party", "party", true, 0}, {"dealer", "dealer", true}, {"actor", "actor"},
                   {"rewarder", "rewarder"},    {"helper", "helper", true}, {"owner", "owner", false, 0}};
  program.settings = bandit_settings();
  program.make = []() -> std::unique_ptr<RoleSettings> { return std::make_unique<S>(); };
  return Program::with_common_settings(std::move(program));
}

}  // namespace

const Program& bandit_program() {
  static const Program program = described();
  return program;
}

std::vector<RunRole> S::roles() const {
  std::vector<RunRole> roles;
  for (std::size_t number = 0; number < parties; ++number) {
    roles.push_back(run_role("party", number, number));
  }
  for (std::size_t number = 0; number < owners; ++number) {
    roles.push_back(run_role("owner", number, topology().owner(number)));
  }
  if (topology().has_dealer()) roles.push_back(run_role("dealer", 0, net::dealer_id));
  if (topology().has_helper()) roles.push_back(run_role("helper", 0, topology().helper()));
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
}

std::uint64_t S::events_held_out() const {
  return static_cast<std::uint64_t>(std::llround(held_out * static_cast<double>(steps)));
}

std::filesystem::path world_path(const std::string& address, const std::string& where) {
  constexpr std::string_view scheme = "unix:";
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (!address.starts_with(scheme) || address.size() == scheme.size() || address.find('\0') != std::string::npos) {
    throw InputError(where, "must be unix:PATH, the socket at which a world listens");
  }
  std::filesystem::path path = address.substr(scheme.size());
  if (path.string().size() > longest) {
    throw InputError(where, fmt::format("the path is too long for a socket's, {} bytes at most", longest));
  }
  return path;
}

bool brings_features(const S& settings) {
  if (settings.role() == BanditRole::owner) return true;
  return settings.role() == BanditRole::party && settings.holders().brings(static_cast<NodeId>(settings.id));
}

bool is_outside(const S& settings) {
  return settings.role() == BanditRole::actor || settings.role() == BanditRole::rewarder;
}

bool gets_rewards(const S& settings) {
  return settings.role() == (settings.separate_rewarder ? BanditRole::rewarder : BanditRole::actor);
}

std::vector<std::string> holder_names(const S& settings) {
  const FeatureHolders holders = settings.holders();
  const Topology topology = settings.topology();
  std::vector<std::string> names;
  names.reserve(holders.count());
  for (std::size_t holder = 0; holder < holders.count(); ++holder) names.push_back(topology.name(holders.node(holder)));
  return names;
}

void require_holders(const S& run) { require_holders(run.holders(), run.owners > 0 ? "--owner" : "--computing-only"); }

void require_randomness(const S& run) {
  if (run.preprocessing == RandomnessBy::dealer) return;
  require_randomness(run.preprocessing, run.holders(), run.arms, "--preprocessing");
  const std::string mode = name_of(run.preprocessing);
  if (run.deal_ahead) throw InputError("--deal-ahead", "--preprocessing " + mode + " has no dealer: leave it out");
  if (run.task != BanditTask::play) {
    throw InputError("--preprocessing", mode + " is for runs that play: learn and evaluate logs with a dealer");
  }
}

void require_propensities(const S& run, const std::function<std::string(const char* key)>& place) {
  if (run.arms_offered == 0) return;
  if (run.propensities == Propensities::frequencies) {
    throw InputError(
        place("arms_offered"),
        "an arm's share of the log stands for its propensity, which is right only where each event had all "
        "arms to choose from: leave this out, or log the propensities");
  }
  if (run.full_support && run.arms_offered < run.arms) {
    throw InputError(place("full_support"),
                     fmt::format("each event had a choice of {} of {} arms, as is said as well: leave one of both out",
                                 run.arms_offered, run.arms));
  }
}

BanditParameters bandit_parameters(const S& run, const std::vector<std::size_t>& columns,
                                   const std::vector<double>& bounds) {
  BanditParameters parameters;
  parameters.columns = columns;
  parameters.computing_only = run.computing_only;
  parameters.owners = run.owners;
  parameters.arms = run.arms;
  parameters.steps = run.steps;
  parameters.max_norm = run.max_norm.value_or(joint_bound(bounds));
  parameters.binary_rewards = run.binary_rewards;
  parameters.fraction_bits = run.bits;
  parameters.exploration = exploration_of(run.epsilon);
  parameters.reveal_model = run.reveal_model;
  parameters.separate_rewarder = run.separate_rewarder;
  parameters.contexts_ahead = run.contexts_ahead;
  parameters.update = run.update;
  parameters.batch = run.batch;
  parameters.reward_lag = run.reward_lag;
  parameters.task = run.task;
  parameters.preprocessing = run.preprocessing;
  parameters.events_before = run.events_before;
  if (run.task == BanditTask::evaluate) {
    parameters.held_out = {run.events_held_out(), 1 / run.least_propensity};
  }
  return parameters;
}

}  // namespace sotto::apps
