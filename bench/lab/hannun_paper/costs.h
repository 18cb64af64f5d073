// Figures 3 and 4 and table 1 of the paper: what a step costs by arms and parties, and what its operations cost beside
// the same in plain text.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/lab/hannun_paper/private_run.h"

namespace sotto::apps::lab {

// A step of the private bandit between processes, dealt ahead.
struct HannunStepTime {
  std::size_t parties = 0;
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // of the run that was timed
  double step_us = 0;
  double twin_us = 0;  // of the plain-text twin, in this process
};

[[nodiscard]] std::vector<HannunStepTime> measure_hannun_steps(const HannunWorld& world, bool quick,
                                                               const std::function<void(const std::string&)>& progress,
                                                               const std::atomic<bool>& interrupted);

// An operation on 100 values between two parties.
struct HannunOperation {
  std::string name;
  std::string published_rounds;              // of table 1
  std::optional<double> published_slowdown;  // of table 1
  std::uint64_t rounds = 0;
  double private_us = 0;
  double plain_us = 0;  // of a loop over doubles

  [[nodiscard]] double slowdown() const { return private_us / plain_us; }
};

// Addition, multiplication with its division by 2^20, the reciprocal and argmax.
[[nodiscard]] std::vector<HannunOperation> measure_hannun_operations(const std::atomic<bool>& interrupted);

// Rounds of the reciprocal as published (include/sotto/protocol/math/published.h), in this engine.
[[nodiscard]] std::uint64_t published_reciprocal_rounds();

}  // namespace sotto::apps::lab
