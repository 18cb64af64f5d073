// The parameters that all roles of an O3M run must share (Cao et al. 2022, "Vertical Federated Linear Contextual
// Bandits"). The participants hold different features of the same users. The first participant is the active
// participant, which serves the users and learns.
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

[[nodiscard]] inline Topology o3m_topology(std::size_t participants, bool third_party_generator) {
  return Topology::without_dealer(participants, third_party_generator, o3m_names);
}

struct O3mParameters {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  std::vector<std::size_t> columns;  // number of features of each participant; the active participant comes first
  std::vector<double> bounds;        // largest norm of each participant's contexts
  double beta = 0.5;                 // LinUCB: weight of the confidence width
  double v = 0.01;                   // LinTS: standard deviation of the sampling
  double lambda = 1;                 // weight of the ridge
  // The number of the passive participant that generates the mask. If empty, a third party generates the mask.
  std::optional<NodeId> mask_generator;
  // If true, the run follows Algorithm 1 of the paper exactly: the active participant sees the masked contexts of each
  // participant, not only their sum.
  bool insecure_blocks = false;

  [[nodiscard]] std::size_t participants() const { return columns.size(); }
  // d, the dimension of the whole context.
  [[nodiscard]] std::size_t dimension() const {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  }
};

// With fewer fraction bits, the error of a sum of eight rounded numbers could be 2^-40 or more.
inline constexpr unsigned least_fraction_bits = 43;

struct O3mPlan {
  O3mParameters parameters;
  unsigned fraction_bits = 0;   // number of fraction bits of masked contexts; words of sums stay below 2^62
  std::size_t batch_steps = 0;  // number of steps in a round, in which a participant sends about 1 MiB
  std::size_t offset(std::size_t participant) const;

  [[nodiscard]] std::uint64_t batches() const { return (parameters.steps + batch_steps - 1) / batch_steps; }
  // Returns the number of doubles in the contexts of one step: K d, for K arms.
  [[nodiscard]] std::size_t step_size() const { return parameters.arms * parameters.dimension(); }
  [[nodiscard]] Topology topology() const {
    return o3m_topology(parameters.participants(), !parameters.mask_generator);
  }
  [[nodiscard]] NodeId generator() const { return parameters.mask_generator.value_or(topology().further_node()); }
};

// Throws InputError, which names the parameter, if the run is impossible, or if the error of the masked sum could be
// 2^-40 or more.
[[nodiscard]] O3mPlan plan_o3m(const O3mParameters& parameters);

}  // namespace sotto::apps::o3m
