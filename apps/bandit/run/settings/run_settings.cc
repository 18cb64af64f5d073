#include "apps/bandit/run/settings/run_settings.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/bandit/model/batch/noised_sums.h"
#include "apps/bandit/model/privacy.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {

std::uint64_t BanditRun::events_held_out() const {
  return static_cast<std::uint64_t>(std::llround(held_out * static_cast<double>(steps)));
}

std::size_t BanditRun::cells_of_events() const {
  return cells > 0 ? cells : most_weight_levels * (binary_rewards ? 2 : reward_levels);
}

std::vector<std::string> holder_names(const BanditRun& run) {
  const FeatureHolders holders = run.holders();
  const Topology topology = run.nodes();
  std::vector<std::string> names;
  names.reserve(holders.count());
  for (std::size_t holder = 0; holder < holders.count(); ++holder) names.push_back(topology.name(holders.node(holder)));
  return names;
}

void require_holders(const BanditRun& run) {
  require_holders(run.holders(), run.owners > 0 ? "--owner" : "--computing-only");
}

void require_randomness(const BanditRun& run) {
  if (run.preprocessing == RandomnessBy::dealer) return;
  require_randomness(run.preprocessing, run.holders(), run.arms, "--preprocessing");
  const std::string mode = name_of(run.preprocessing);
  if (run.deal_ahead) throw InputError("--deal-ahead", "--preprocessing " + mode + " has no dealer: leave it out");
  if (run.task != BanditTask::play) {
    throw InputError("--preprocessing", mode + " is for runs that play: learn and evaluate logs with a dealer");
  }
}

void require_propensities(const BanditRun& run, const std::function<std::string(const char* key)>& place) {
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

BanditParameters bandit_parameters(const BanditRun& run, const std::vector<std::size_t>& columns,
                                   const std::vector<double>& bounds) {
  BanditParameters parameters;
  parameters.columns = columns;
  parameters.computing_only = run.computing_only;
  parameters.owners = run.owners;
  parameters.arms = run.arms;
  parameters.steps = run.steps;
  parameters.max_norm = run.max_norm.value_or(prepare::joint_bound(bounds));
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
    parameters.held_out = {run.events_held_out(), run.cells_of_events(), run.in_one_bit};
  }
  return parameters;
}

double learning_deviation_of(const CountPrivacy& holder, const BanditParameters& parameters) {
  return learning_deviation(holder.learning_epsilon, holder.learning_delta, holder.learned_rows,
                            bounds_of(parameters).norm, parameters.features());
}

void add_learning_noise(BanditParameters& parameters, const std::vector<CountPrivacy>& holders) {
  if (parameters.task != BanditTask::evaluate || parameters.held_out.events >= parameters.steps) return;
  std::vector<double> noise;
  for (const CountPrivacy& holder : holders) {
    if (holder.learning_epsilon > 0) noise.push_back(learning_deviation_of(holder, parameters));
  }
  parameters.learning_noise = std::move(noise);
}

}  // namespace sotto::apps::bandit::run
