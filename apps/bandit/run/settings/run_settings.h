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

// The settings for a task about a log.
struct LogRules {
  double reward_scale = 1;    // rewards are divided by this scale
  bool clip_rewards = false;  // whether a reward that is larger than the scale is replaced by the scale
  // The following settings are only for a log that is evaluated.
  double held_out = .5;   // fraction of the log's events that is evaluated
  bool mixed = false;     // true: held-out events come from the whole log; false: they are the last events
  std::size_t cells = 0;  // number of cells in which agreements are counted; 0: as many as any log may need
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clip_weights = false;
  std::size_t arms_offered = 0;  // number of arms from which each event had a choice; 0: all arms that were played
  bool full_support = false;     // whether the actor states that each arm had a chance in each event
  bool in_one_bit = false;       // whether the answer is only one bit, which says whether the model beats the log

  [[nodiscard]] WeightRule weight_rule() const {
    return {propensities, least_propensity, clip_weights, arms_offered, full_support};
  }
};

struct BanditRun : LogRules {
  std::size_t parties = 0;
  std::size_t computing_only = 0;  // number of parties that bring no features; they are the last parties
  std::size_t owners = 0;          // number of owners, which bring features and do not compute
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  double epsilon = 0.1;
  unsigned bits = 20;
  std::optional<double> max_norm;
  bool joint_norm_holds = false;  // whether somebody who has seen the joint rows states that max_norm holds
  bool binary_rewards = true;
  bool contexts_ahead = true;
  StepUpdate update = StepUpdate::all_arms;
  bool deal_ahead = false;
  bool reveal_model = false;
  bool separate_rewarder = false;
  std::size_t batch = 1;         // number of events that are decided together
  std::uint64_t reward_lag = 0;  // number of further events that are decided before the reward of an event is known
  std::uint64_t checkpoint_every = 0;  // number of steps between checkpoints; 0: no state is kept
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  std::uint64_t events_before = 0;  // number of events that an earlier model has learned; 0: no such model

  // Whether decisions and learning are separate (apps/bandit/model/batch/private_batches.h).
  [[nodiscard]] bool in_batches() const {
    return batch > 1 || reward_lag > 0 || task != BanditTask::play || events_before > 0;
  }
  [[nodiscard]] FeatureHolders holders() const { return {parties, computing_only, owners}; }
  [[nodiscard]] Topology nodes() const { return bandit_topology(parties, separate_rewarder, preprocessing, owners); }
  // The number of steps that are evaluated, and the number of cells into which they are divided.
  [[nodiscard]] std::uint64_t events_held_out() const;
  [[nodiscard]] std::size_t cells_of_events() const;
};

// Throws InputError, naming the flag, if the run's other settings do not fit the roles that make its randomness.
void require_randomness(const BanditRun& run);

// Throws InputError if the settings about the propensities of a log do not fit together. `place` returns the text with
// which an error names a key of [run].
void require_propensities(const BanditRun& run, const std::function<std::string(const char* key)>& place);

// The names of the holders of features, in the order of holders: "party 0", ..., "owner 0", ...
[[nodiscard]] std::vector<std::string> holder_names(const BanditRun& run);

// Throws InputError, naming the flag, if the holders of features and the run's other settings do not fit together.
void require_holders(const BanditRun& run);

// The run's parameters, once all holders of features have announced their columns and the bound on their rows.
[[nodiscard]] BanditParameters bandit_parameters(const BanditRun& run, const std::vector<std::size_t>& columns,
                                                 const std::vector<double>& bounds);

// Adds the deviations of holders that add noise to learning (apps/bandit/model/batch/noised_sums.h), if a run evaluates
// a log and learns from a part of it. Does nothing in other runs. Throws InputError as learning_deviation() does.
void add_learning_noise(BanditParameters& parameters, const std::vector<CountPrivacy>& holders);
[[nodiscard]] double learning_deviation_of(const CountPrivacy& holder, const BanditParameters& parameters);

}  // namespace sotto::apps::bandit::run
