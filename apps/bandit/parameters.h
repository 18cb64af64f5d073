// The run parameters of the private bandit, and what follows from them: widths, scales, rounds.
//
// Every role has the parameters before the first round (from its config and from what the handshake announced), and
// their digest is compared. Control flow, shapes and draws depend on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sotto/core/party/topology.h"
#include "sotto/protocols/compare/argmax.h"

namespace sotto::apps {

inline constexpr NodeNames bandit_names{.outside = "actor", .further = "rewarder"};

[[nodiscard]] inline Topology bandit_topology(std::size_t parties, bool separate_rewarder) {
  return Topology(parties, separate_rewarder, bandit_names);
}
// Who acts on the arm that is opened, and who gets the reward: one node unless the topology has a further one.
[[nodiscard]] inline NodeId actor_of(const Topology& topology) { return topology.outside_node(); }
[[nodiscard]] inline NodeId rewarder_of(const Topology& topology) {
  return topology.has_further_node() ? topology.further_node() : topology.outside_node();
}

struct BanditParameters {
  std::vector<std::size_t> columns;  // a party; at least one
  std::size_t arms = 0;              // at least 1
  std::uint64_t steps = 0;           // at least 1
  double max_norm = 1;               // R: |x| <= R, at most 8
  bool binary_rewards = true;        // all rewards 0 or 1; otherwise real in [-1, 1]
  unsigned fraction_bits = 20;       // of features, at most; all other widths follow from the bounds
  Exploration exploration{};
  bool reveal_model = false;
  bool separate_rewarder = false;
  bool contexts_ahead = true;    // single steps: the context of a step is known while the one before it is played
  std::size_t batch = 1;         // events that are decided, and learned, at once
  std::uint64_t reward_lag = 0;  // events that are decided before the reward of one is known

  // Decisions and learning are apart (batch/private_batches.h); otherwise a step does both (private_bandit.h).
  [[nodiscard]] bool in_batches() const { return batch > 1 || reward_lag > 0; }
  [[nodiscard]] std::size_t features() const;
  [[nodiscard]] Topology topology() const { return bandit_topology(columns.size(), separate_rewarder); }
};

struct BatchPlan;
struct StepPlan;

// The widths of a run, all from public bounds.
struct BanditPlan {
  BanditParameters parameters;
  unsigned context_bits;     // fraction bits of features
  unsigned inverse_bits;     // of the inverse matrices W
  unsigned reward_bits;      // of a reward; 0 for binary rewards
  unsigned comparison_bits;  // of the difference of two scores
  // One of the two.
  std::shared_ptr<const StepPlan> step;      // of single steps
  std::shared_ptr<const BatchPlan> batches;  // of a run in batches
};

// Throws InputError where a parameter by itself is out of its range.
void require_sane(const BanditParameters& parameters);

// Throws InputError, saying which parameter to change, where a value of the run could leave its range.
[[nodiscard]] BanditPlan plan_bandit(BanditParameters parameters);

}  // namespace sotto::apps
