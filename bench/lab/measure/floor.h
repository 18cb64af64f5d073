// The floor of a bandit step: what its messages alone cost on this machine.
//
// The same processes as in `sotto bandit` (parties, actor, and a dealer that has dealt everything and only waits),
// connected by TCP on loopback, send each other exactly the frames of one step after another, without arithmetic and
// without our links: in each round, write everything that is due to each peer and read what is due from each. Over TLS
// (net/transport/tls/) as well, shaking hands before the first batch that counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bandit/run/result/link_model.h"

namespace sotto::apps::lab {

// How a process waits for its peers' bytes.
enum class Waiting : std::uint8_t {
  yielding,  // as the links of a run: retry with sched_yield for a while, then poll
  spinning,  // retry, and nothing else
  blocking,  // poll at once
};

enum class Carrier : std::uint8_t { tcp, tls };

// Microseconds a step, of each batch, at party 0; a batch that comes first to warm up is left out. Errors as of
// run_processes().
[[nodiscard]] std::vector<double> replay_steps(const bandit::run::StepFrames& frames, Waiting waiting,
                                               std::uint64_t steps_of_a_batch, std::size_t batches,
                                               const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// The same with about `steps` steps, cut by plan_batches() after a short trial.
[[nodiscard]] std::vector<double> replay_within(const bandit::run::StepFrames& frames, Waiting waiting,
                                                std::uint64_t steps, double seconds,
                                                const std::atomic<bool>& interrupted, Carrier carrier = Carrier::tcp);

// How fast this CPU does what a step is made of, inside one process: random expansion, products of ring matrices,
// copying.

struct KernelSpeed {
  std::string what;
  std::string unit;             // "GB/s", "G multiply-adds/s"
  std::vector<double> batches;  // in that unit
};

// Each batch takes about `seconds_of_a_batch`, or one repetition where that takes longer.
[[nodiscard]] std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches);

}  // namespace sotto::apps::lab
