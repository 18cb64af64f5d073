// The floor of a bandit step: the time that the messages of the step take by themselves on this machine.
//
// The processes are those of `sotto bandit`: parties, actor, and a dealer that has dealt everything and only waits.
// The processes are connected by TCP on loopback. The processes send each other exactly the frames of a step, for one
// step after another. The processes do no arithmetic and do not use sotto's link layer. In each round, each process
// writes everything that is due to each peer and reads everything that is due from each peer. The floor is also
// measured over TLS (net/transport/tls/); the handshake ends before the first measured batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bandit/run/result/link_model.h"

namespace sotto::apps::lab {

// The way in which a process waits for its peers' bytes.
enum class Waiting : std::uint8_t {
  yielding,  // like the links of a run: retry with sched_yield for a while, then poll
  spinning,  // only retry
  blocking,  // poll at once
};

enum class Carrier : std::uint8_t { tcp, tls };

// Returns microseconds for a step at party 0, one value for each batch. A first batch, which warms up, is left out.
// Throws the errors of run_processes().
[[nodiscard]] std::vector<double> replay_steps(const bandit::run::StepFrames& frames, Waiting waiting,
                                               std::uint64_t steps_of_a_batch, std::size_t batches,
                                               const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// Measures like replay_steps(), with about `steps` steps. After a short trial, plan_batches() divides the steps into
// batches.
[[nodiscard]] std::vector<double> replay_within(const bandit::run::StepFrames& frames, Waiting waiting,
                                                std::uint64_t steps, double seconds,
                                                const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// The speed of this CPU for the parts of a step, inside one process: random expansion, products of ring matrices,
// copying.

struct KernelSpeed {
  std::string what;
  std::string unit;             // "GB/s", "G multiply-adds/s"
  std::vector<double> batches;  // the speed in each batch, in `unit`
};

// Measures all speeds. Each batch takes about `seconds_of_a_batch`, or has only one repetition if one repetition takes
// longer.
[[nodiscard]] std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches);

}  // namespace sotto::apps::lab
