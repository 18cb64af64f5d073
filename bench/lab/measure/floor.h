// The floor of a bandit step: the time that the messages of the step take by themselves on this machine.
//
// Processes as in `sotto bandit` send each other exactly the frames of a step over TCP on loopback. The processes do no
// arithmetic and do not use sotto's link layer.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bandit/run/result/link_model.h"

namespace sotto::apps::lab {

enum class Waiting : std::uint8_t {
  yielding,
  spinning,
  blocking,
};

enum class Carrier : std::uint8_t { tcp, tls };

// Returns the microseconds of a step at party 0, one value for each batch. Before the first batch, another batch warms
// up and is not counted.
[[nodiscard]] std::vector<double> replay_steps(const bandit::run::StepFrames& frames, Waiting waiting,
                                               std::uint64_t steps_of_a_batch, std::size_t batches,
                                               const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// Measures about `steps` steps, or fewer if they would take longer than about `seconds`.
[[nodiscard]] std::vector<double> replay_within(const bandit::run::StepFrames& frames, Waiting waiting,
                                                std::uint64_t steps, double seconds,
                                                const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// The speed of this CPU for parts of a step, inside one process.
struct KernelSpeed {
  std::string what;
  std::string unit;             // "GB/s", "G multiply-adds/s"
  std::vector<double> batches;  // in `unit`
};

[[nodiscard]] std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches);

}  // namespace sotto::apps::lab
