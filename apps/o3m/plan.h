// What all roles of an O3M run must have alike (Cao et al. 2022, "Vertical Federated Linear Contextual Bandits"):
// participants that hold different features of the same users, of which the first, the active participant, meets the
// users and learns. And what follows from it: the fixed point that masked contexts are summed in, and how many steps
// travel together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::o3m {

inline constexpr NodeNames o3m_names{.first_party = "active participant",
                                     .other_party = "passive participant",
                                     .further = "mask generator",
                                     .parties = "participants"};

// Participant 0 is the active one; the mask generator is a node of its own, or one of the others.
[[nodiscard]] inline Topology o3m_topology(std::size_t participants, bool third_party_generator) {
  return Topology::without_dealer(participants, third_party_generator, o3m_names);
}

struct O3mParameters {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  std::vector<std::size_t> columns;  // features of each participant, the active one's first
  std::vector<double> bounds;        // of each participant: no context of it has a larger norm
  double beta = 0.5;                 // LinUCB: weight of the confidence width
  double v = 0.01;                   // LinTS: standard deviation of the sampling
  double lambda = 1;                 // of the ridge
  // The passive participant that generates the mask; a third party does where it is absent.
  std::optional<NodeId> mask_generator;
  // Algorithm 1 to the letter: the active participant sees the block of each participant, not their sum alone.
  bool insecure_blocks = false;

  [[nodiscard]] std::size_t participants() const { return columns.size(); }
  // d, of the whole context.
  [[nodiscard]] std::size_t dimension() const {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  }
};

// Fewer would let the sum of eight roundings err by 2^-40 or more.
inline constexpr unsigned least_fraction_bits = 43;

struct O3mPlan {
  O3mParameters parameters;
  unsigned fraction_bits = 0;                         // of masked contexts in Z/2^64; a sum stays below 2^62
  std::size_t batch_steps = 0;                        // steps of a round, about a mebibyte of each participant
  std::size_t offset(std::size_t participant) const;  // of its columns in the whole context

  // Rounds that carry masked contexts.
  [[nodiscard]] std::uint64_t batches() const { return (parameters.steps + batch_steps - 1) / batch_steps; }
  // Numbers of a step's contexts: K d.
  [[nodiscard]] std::size_t step_size() const { return parameters.arms * parameters.dimension(); }
  [[nodiscard]] Topology topology() const {
    return o3m_topology(parameters.participants(), !parameters.mask_generator);
  }
  // The node that draws the mask.
  [[nodiscard]] NodeId generator() const { return parameters.mask_generator.value_or(topology().further_node()); }
};

// Throws InputError, naming the parameter, for what cannot be run: no steps or arms, a participant without columns, a
// mask generator that is the active participant or nobody, contexts so large that their masked sum would err by 2^-40.
[[nodiscard]] O3mPlan plan_o3m(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
