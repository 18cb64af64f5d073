// The settings in [run] of the private bandit, which are the same at every role.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/kit/deploy/announcement.h"

namespace sotto::apps::bandit::run {

struct LogRules {
  double reward_scale = 1;    // number by which rewards are divided
  bool clip_rewards = false;  // whether rewards above reward_scale are cut
  // The following settings are only for an evaluation.
  double held_out = .5;   // fraction of the events that is evaluated
  bool mixed = false;     // whether a hash selects the evaluated events; if not, they are the last events
  std::size_t cells = 0;  // 0: as many as needed
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clip_weights = false;
  std::size_t arms_offered = 0;  // number of arms to choose from in an event; 0: all played arms
  bool full_support = false;     // whether the actor states that each arm had a chance
  bool in_one_bit = false;

  [[nodiscard]] WeightRule weight_rule() const {
    return {propensities, least_propensity, clip_weights, arms_offered, full_support};
  }
};

struct BanditRun : LogRules {
  std::size_t parties = 0;
  std::size_t computing_only = 0;
  std::size_t owners = 0;
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  double epsilon = 0.1;
  unsigned bits = 20;
  std::optional<double> max_norm;
  bool joint_norm_holds = false;  // whether somebody has checked that joint norms are at most max_norm
  bool binary_rewards = true;
  bool contexts_ahead = true;
  StepUpdate update = StepUpdate::all_arms;
  bool deal_ahead = false;
  bool reveal_model = false;
  bool separate_rewarder = false;
  std::size_t batch = 1;
  std::uint64_t reward_lag = 0;        // see BanditParameters
  std::uint64_t checkpoint_every = 0;  // 0: never
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  std::uint64_t events_before = 0;  // number of events that the earlier model has learned

  [[nodiscard]] bool in_batches() const {
    return batch > 1 || reward_lag > 0 || task != BanditTask::play || events_before > 0;
  }
  [[nodiscard]] FeatureHolders holders() const { return {parties, computing_only, owners}; }
  [[nodiscard]] Topology nodes() const { return bandit_topology(parties, separate_rewarder, preprocessing, owners); }
  [[nodiscard]] std::uint64_t events_held_out() const;
  [[nodiscard]] std::size_t cells_of_events() const;
};

// Throws InputError, which names the flag, if the roles cannot make the randomness of this run.
void require_randomness(const BanditRun& run);

void require_propensities(const BanditRun& run, const std::function<std::string(const char* key)>& place);

[[nodiscard]] std::vector<std::string> holder_names(const BanditRun& run);

// Throws InputError, which names the flag, if the holders of features do not fit the other settings.
void require_holders(const BanditRun& run);

[[nodiscard]] BanditParameters bandit_parameters(const BanditRun& run, const std::vector<std::size_t>& columns,
                                                 const std::vector<double>& bounds);

// Adds the noise of all holders to the parameters of a run that evaluates a log and learns from a part of it.
void add_learning_noise(BanditParameters& parameters, const std::vector<CountPrivacy>& holders);
[[nodiscard]] double learning_deviation_of(const CountPrivacy& holder, const BanditParameters& parameters);

}  // namespace sotto::apps::bandit::run
