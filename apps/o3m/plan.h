// What follows from an O3M run's parameters: the fixed point that masked contexts are summed in, and how many steps
// travel together.
#pragma once

#include <cstddef>

#include "sotto/apps/o3m/parameters.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
