#include <fmt/format.h>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/dp/samplers.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/setting.h"
#include "apps/prepare/data/environment.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

using S = BanditSettings;

bool evaluates(const S& s) { return s.task == BanditTask::evaluate; }
bool adds_noise(const S& s) { return evaluates(s) && brings_features(s); }

// The program reads this setting first, because the number of owners determines the list of roles.
Setting owners_setting() {
  Setting setting =
      number<S>("run.owners", &S::owners, {0, max_owners}, "Organisations that bring features and do not compute")
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
      number<S>("run.parties", &S::parties, {2, max_parties}, "Compute parties").needed().known_where_all_is(),
      number<S>("run.computing_only", &S::computing_only, {0, max_parties},
                "Compute parties, the last ones, that bring no features")
          .expecting("a whole number of compute parties")
          .known_where_all_is()
          .only_if<S>([](const S& s) { return s.computing_only > 0; }),
      owners_setting(),
      steps_setting<S>(),
      arms_setting<S>(prepare::max_arms),
      number<S>("run.epsilon", &S::epsilon, {0, 1}, "Probability of exploring"),
      number<S>("run.bits", &S::bits, {12, 24},
                "Fraction bits of features at most; all other widths follow from the bounds on the run"),
      number<S>("run.max_norm", &S::max_norm, {0, 8, true},
                "Public bound on the norm of a joint context; without it the parties announce bounds")
          .shown_as("1.0"),
      choice<S>("run.joint_norm_holds", &S::joint_norm_holds,
                "Somebody has seen that the joint contexts keep to max_norm, which the parties' bounds alone do not "
                "make sure of")
          .with_flag("--joint-norm-holds")
          .only_if<S>([](const S& s) { return s.max_norm.has_value(); }),
      word<S>("run.rewards", &S::binary_rewards, {{"binary", true}, {"real", false}},
              "\"binary\", all 0 or 1, or \"real\", in [-1, 1]")
          .known_where_all_is(),
      word<S>(
          "run.contexts_ahead", &S::contexts_ahead, {{"yes", true}, {"no", false}},
          "Whether a context is known while the step before it is played, as those of files are: saves a round a step; "
          "without a meaning in batches"),
      word<S>("run.update", &S::update, {{"all-arms", StepUpdate::all_arms}, {"pulled-arm", StepUpdate::pulled_arm}},
              "The update of a single step: of all arms alike, in the fewest rounds, or of the pulled arm, in more "
              "rounds with a fraction of the bytes. The second selects the arm first in shares, and suits oblivious "
              "transfers. No meaning in batches"),
      preprocessing_setting<S>(),
      choice<S>("run.deal_ahead", &S::deal_ahead, "The last party takes all correlations before the first step"),
      choice<S>("run.reveal_model", &S::reveal_model, "Open the model to the parties at the end"),
      choice<S>("run.separate_rewarder", &S::separate_rewarder, "The rewarder is a role of its own, not the actor"),
      number<S>(
          "run.batch", &S::batch, {1, 4096},
          "Events (steps) that are decided, and learned, at once, such as 256; 1: each is learned before the next")
          .expecting("a whole number of events, 1 to 4096")
          .with_flag("--batch", "B"),
      number<S>(
          "run.reward_lag", &S::reward_lag, {},
          "Further events that are decided before the reward of one is known, such as 1000; 0: it is known at once")
          .expecting("a whole number of events")
          .with_flag("--reward-lag", "EVENTS"),
      number<S>("run.checkpoint_every", &S::checkpoint_every, {},
                "Steps between two checkpoints that a run can be resumed from; 0: none")
          .expecting("a whole number of steps, 0 for no checkpoints"),
      word<S>(
          "run.task", &S::task,
          {{"play", BanditTask::play}, {"learn", BanditTask::learn}, {"evaluate", BanditTask::evaluate}},
          "Play; or learn from the actor's log and decide nothing; or learn from a part of it and say what the model "
          "would have earned in the rest")
          .known_where_all_is(),
      number<S>("run.reward_scale", &S::reward_scale, {0, 1e12, true},
                "Divisor of the rewards of a log, so that they are in [-1, 1]")
          .expecting("a number above 0")
          .known_where_all_is(),
      choice<S>(
          "run.clip_rewards", &S::clip_rewards,
          "Count rewards of a log that are larger than the scale as the scale, so that a few do not make all others "
          "small")
          .known_where_all_is()
          .only_if<S>([](const S& s) { return s.task != BanditTask::play; }),
      number<S>("run.events_before", &S::events_before, {},
                "Events that the model has learned which the run begins from; 0: it begins from none")
          .expecting("a whole number of events")
          .known_where_all_is(),
      number<S>("run.held_out", &S::held_out, {0, 1, true},
                "Part of a log that is evaluated; the rest is learned before")
          .known_where_all_is()
          .only_if<S>(evaluates),
      word<S>("run.split", &S::mixed, {{"last", false}, {"mixed", true}},
              "Which part of a log is evaluated: its last events, or some from everywhere")
          .known_where_all_is()
          .only_if<S>(evaluates),
      number<S>(
          "run.cells", &S::cells, {0, most_cells},
          "Cells into which the actor divides the evaluated events, by weight and reward. For each cell it learns, "
          "with noise, how many events agree with the model. With 0, as many as any log without segments may need, 12 "
          "where rewards are binary, else 30")
          .expecting("a whole number of cells, 2 to 64, or 0")
          .known_where_all_is()
          .only_if<S>(evaluates),
      word<S>("run.answers", &S::in_one_bit, {{"counts", false}, {"bit", true}},
              "Answers about the model to the owner of a log: counts with noise, from which it computes values; or one "
              "bit of them, whether the model beats the log")
          .known_where_all_is()
          .only_if<S>(evaluates),
      word<S>("run.propensities", &S::propensities,
              {{"logged", Propensities::logged}, {"frequencies", Propensities::frequencies}},
              "Probabilities with which arms were played: those in the log, or estimated by each arm's share of the "
              "log. The estimate is right only where arms were played at random whatever the case")
          .known_where_all_is()
          .only_if<S>(evaluates),
      number<S>(
          "run.least_propensity", &S::least_propensity, {0, 1, true},
          "The least probability that counts: an event that is evaluated weighs at most one over it; below, the log is "
          "refused")
          .known_where_all_is()
          .only_if<S>(evaluates),
      choice<S>("run.clip_weights", &S::clip_weights,
                "Cut the weights of less probable events to that instead, which makes values wrong by a little")
          .known_where_all_is()
          .only_if<S>(evaluates),
      number<S>(
          "run.arms_offered", &S::arms_offered, {0, prepare::max_arms},
          "How many of the arms each event had to choose from, where it was not all of them; 0: all that were played")
          .expecting("a whole number of arms")
          .known_where_all_is()
          .only_if<S>(evaluates),
      choice<S>(
          "run.full_support", &S::full_support,
          "You know that each arm had a chance in each event, as in the logs of a service that explores: a mean weight "
          "a little below 1 is then chance")
          .known_where_all_is()
          .only_if<S>(evaluates),

      file<S>("role.data", &S::data,
              "The features of a party or an owner, CSV. Next to it may stand FILE.best, a party's shares of the bits "
              "that the log of a service needs")
          .with_flag("--data")
          .as_input(),
      file<S>("role.environment", &S::environment, "The reward of each arm, CSV, at the role that gets the rewards")
          .with_flag("--environment")
          .as_input(),
      text<S>("role.world", &S::world, "unix:PATH, the socket at which a world listens",
              "Instead of these files: a simulator that listens at PATH, which is asked for features, or for the "
              "rewards of arms")
          .with_flag("--world"),
      number<S>("role.columns", &S::columns, {1, 65536}, "A party's features, where a world tells them")
          .expecting("a whole number of columns")
          .with_flag("--columns", "N"),
      file<S>("role.log", &S::log,
              "The log of earlier play, at the actor: CSV with arm, reward, and optionally propensity and id. The log "
              "of a service has best_probability and least_probability instead of propensity")
          .with_flag("--log")
          .as_input(),
      text<S>("role.segment", &S::segment, "the name of a column",
              "A column of the log, such as country: the events of each segment get values as well, at no cost in "
              "epsilon, as each event is in one segment")
          .with_flag("--segment", "COLUMN"),
      file<S>("role.from", &S::from,
              "A party's config of the run whose model this one begins from, or the folder of it")
          .with_flag("--from"),
      file<S>("role.arm_socket", &S::arm_socket,
              "Where the actor tells a rewarder of its own which arm it pulled: the same path at both, on one machine")
          .with_flag("--arm-socket"),
      file<S>("role.state", &S::state, "Folder of the role's checkpoints")
          .expecting("a folder name")
          .with_flag("--state", "DIR")
          .shown_as("\"state\""),
      file<S>("role.stock", &S::stock,
              "Folder of the role's stock of randomness, which `sotto prepare-randomness` fills")
          .expecting("a folder name")
          .with_flag("--stock", "DIR")
          .shown_as("\"stock\""),
      file<S>("role.seen_accounts", &S::seen,
              "Where this role remembers how far the accounts of others had come, so that it notices an old copy of "
              "one; default: KEY.seen, next to its key")
          .with_flag("--seen-accounts")
          .only_if<S>(evaluates),
      text<S>("role.delay", &S::delay, "a delay such as \"until 50ms\"",
              "Delay of what the actor or the rewarder answers: \"until 50ms\", \"uniform 0ms 50ms\" or \"exponential "
              "20ms\"; hides which arm it was from who measures time")
          .with_flag("--delay"),

      file<S>("account.file", &S::account,
              "The account of a party or an owner, made by `sotto account begin`. It counts the cost of each "
              "evaluation of a log for each person, and refuses more than the budget")
          .with_flag("--account"),
      number<S>("account.epsilon", &S::account_epsilon, {least_count_epsilon, largest_count_epsilon},
                "Epsilon of the noise of a party or an owner in one evaluation of a log; a smaller epsilon means more "
                "noise")
          .expecting("a number from 0.001 to 1000")
          .with_flag("--account-epsilon", "E")
          .only_if<S>(adds_noise),
      number<S>("account.budget", &S::budget, {0, 1e6, true},
                "How much epsilon a person may lose in all evaluations together")
          .expecting("a number above 0")
          .with_flag("--account-budget", "E")
          .only_if<S>(adds_noise),
      number<S>("account.learning_epsilon", &S::learning_epsilon, {0, largest_count_epsilon},
                "Epsilon of the noise of a party or an owner for the rows that an evaluated model learns from. It is "
                "promised once, for any number of counts over other rows. 0: no noise")
          .expecting("0, or a number from 0.001 to 1000")
          .with_flag("--learning-epsilon", "E")
          .only_if<S>([](const S& s) { return adds_noise(s) && s.learning_epsilon > 0; }),
      number<S>("account.learning_delta", &S::learning_delta, {0, .1, true},
                "The delta of learning_epsilon: the probability with which its promise may fail")
          .expecting("a number above 0, up to 0.1")
          .with_flag("--learning-delta", "D")
          .only_if<S>([](const S& s) { return adds_noise(s) && s.learning_epsilon > 0; }),
      choice<S>("account.uncovered_learning", &S::uncovered_learning,
                "Rows may be learned from without noise, so that counts over other rows reveal something about "
                "them: no epsilon covers them, and every result says so")
          .with_flag("--uncovered-learning")
          .only_if<S>([](const S& s) { return adds_noise(s) && s.uncovered_learning; }),
      word<S>("account.answers", &S::bit_alone, {{"counts", false}, {"bit", true}},
              "Evaluations of a log that this role takes part in: \"bit\" refuses a run whose answers are counts")
          .with_flag("--account-answers")
          .only_if<S>([](const S& s) { return adds_noise(s) && s.bit_alone; }),
      file<S>("account.subjects", &S::subjects,
              "The person of each row, one id a line, known to nobody else. Default: the file that `sotto prepare "
              "party --id` left next to the data; else each row is a person, whom the account knows by its content")
          .with_flag("--account-subjects")
          .as_input(),
      number<S>("account.rows_per_subject", &S::rows_per_subject, {1, most_rows_of_subject},
                "The most rows of one person among those that are evaluated, where the ids do not say it")
          .expecting("a whole number of rows, 1 to 1000000")
          .with_flag("--account-rows-per-subject", "M")
          .only_if<S>(adds_noise),
      number<S>("account.forget_after", &S::forget_after, {0, 36500},
                "Days after which an entry of the account no longer counts, and the budget holds for each such time by "
                "itself; 0: never")
          .expecting("a whole number of days, 0 to 36500")
          .with_flag("--account-forget-after", "DAYS")
          .only_if<S>([](const S& s) { return adds_noise(s) && s.forget_after > 0; })};
}

Program described() {
  Program program;
  program.word = "bandit";
  program.name = "the private bandit";
  program.is_default = true;
  program.version = "epsilon-greedy bandit 7";
  program.roles = {{"party", "party", true, 0}, {"dealer", "dealer", true}, {"actor", "actor"},
                   {"rewarder", "rewarder"},    {"helper", "helper", true}, {"owner", "owner", false, 0}};
  program.tables = {
      {"account", true, "The privacy that this party gives away in evaluations of a log, and its account."}};
  program.settings = bandit_settings();
  program.make = []() -> std::unique_ptr<RoleSettings> { return std::make_unique<S>(); };
  return Program::with_common_settings(std::move(program));
}

}  // namespace

const Program& bandit_program() {
  static const Program program = described();
  return program;
}

}  // namespace sotto::apps::bandit::run
