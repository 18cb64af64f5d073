// The parameters that all roles of an O3M run must share (Cao et al. 2022, "Vertical Federated Linear Contextual
// Bandits"). The participants hold different features of the same users. The first participant is the active
// participant, which serves the users and learns. The plan is computed from the parameters: the fixed point of the sums
// of masked contexts, and the number of steps that are sent together.
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

// Participant 0 is the active participant. The mask generator is a separate node or one of the passive participants.
[[nodiscard]] inline Topology o3m_topology(std::size_t participants, bool third_party_generator) {
  return Topology::without_dealer(participants, third_party_generator, o3m_names);
}

struct O3mParameters {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  std::vector<std::size_t> columns;  // number of features of each participant; the active participant comes first
  std::vector<double> bounds;        // for each participant: the largest norm of its contexts
  double beta = 0.5;                 // LinUCB: weight of the confidence width
  double v = 0.01;                   // LinTS: standard deviation of the sampling
  double lambda = 1;                 // weight of the ridge
  // The passive participant that generates the mask; if absent, a third party generates it.
  std::optional<NodeId> mask_generator;
  // Whether to run Algorithm 1 exactly: the active participant then sees the masked contexts of each participant
  // instead of only their sum.
  bool insecure_blocks = false;

  [[nodiscard]] std::size_t participants() const { return columns.size(); }
  // d, the dimension of the whole context.
  [[nodiscard]] std::size_t dimension() const {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  }
};

// The fewest fraction bits of masked contexts. With fewer bits, the error of a sum of eight rounded numbers could be
// 2^-40 or more.
inline constexpr unsigned least_fraction_bits = 43;

struct O3mPlan {
  O3mParameters parameters;
  unsigned fraction_bits = 0;                         // fraction bits of masked contexts; words of sums stay below 2^62
  std::size_t batch_steps = 0;                        // steps in a round; a participant sends about 1 MiB for a round
  std::size_t offset(std::size_t participant) const;  // index of the participant's first column in the whole context

  // The number of rounds in which masked contexts are sent.
  [[nodiscard]] std::uint64_t batches() const { return (parameters.steps + batch_steps - 1) / batch_steps; }
  // The number of values in the contexts of one step: K d.
  [[nodiscard]] std::size_t step_size() const { return parameters.arms * parameters.dimension(); }
  [[nodiscard]] Topology topology() const {
    return o3m_topology(parameters.participants(), !parameters.mask_generator);
  }
  // The node that generates the mask.
  [[nodiscard]] NodeId generator() const { return parameters.mask_generator.value_or(topology().further_node()); }
};

// If the run is impossible, throws InputError that names the parameter. Possible reasons: no steps, no arms, a
// participant without columns, and contexts so large that the error of the masked sum would be 2^-40 or more. Another
// reason is a mask generator that is the active participant or does not exist.
[[nodiscard]] O3mPlan plan_o3m(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
