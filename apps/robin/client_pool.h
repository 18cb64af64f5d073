// Clients of a ROBIN run that are played in one process: each plays its own steps and keeps its own statistics, and
// nothing of one reaches another.
//
// A pool is given the phases in order, each once. Local phases are LinUCB with statistics of the client's own, kept
// from phase to phase; other phases are greedy on the broadcast. In a phase that ends with an upload each client makes
// its least squares estimate of theta: after the initialisation of all its steps, later of the phase's. Where contexts
// leave directions open, the estimate is 0 in these.
//
// Where arms score alike, the one with the lowest number is pulled. Results are the same for any number of threads and
// any CPU. Cost of a greedy step at d = 4, K = 5: some 100 ns, contexts drawn included.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "apps/robin/instance.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

// Of one phase and all clients of a pool.
struct PhaseReport {
  std::vector<double> estimates;  // clients x dimension, row-major; empty without an upload
  double regret = 0;              // sums over clients and steps
  double reward = 0;              // as clipped
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;

  // Without the estimates.
  static void describe(auto& self, auto&& field) {
    field("regret", self.regret);
    field("reward", self.reward);
    field("rewards_clipped", self.rewards_clipped);
    field("features_clipped", self.features_clipped);
  }

  // Appends the report of the next clients.
  void append(const PhaseReport& next);
};

// Told how many steps were played since the last call, of all clients; from any thread.
using StepsPlayed = std::function<void(std::uint64_t)>;

class ClientPool {
 public:
  // Clients first .. first + count - 1 of the instance. `settings` are resolved().
  ClientPool(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance, std::uint64_t first,
             std::size_t count);
  [[nodiscard]] std::size_t clients() const { return count_; }

  // `broadcast` has dimension numbers; none in a local phase. Interrupted where `interrupted` is set.
  [[nodiscard]] PhaseReport play(const Phase& phase, std::span<const double> broadcast, std::size_t threads,
                                 const std::atomic<bool>& interrupted, const StepsPlayed& played = {});

 private:
  [[nodiscard]] PhaseReport play_part(const Phase& phase, std::span<const double> broadcast, std::size_t begin,
                                      std::size_t end, const std::atomic<bool>& interrupted);

  RobinSettings settings_;
  std::shared_ptr<const RobinInstance> instance_;
  std::uint64_t first_;
  std::size_t count_;
  std::size_t client_sums_;  // of a client in the initialisation: triangle and moments
  std::uint64_t next_step_ = 0;
  std::vector<double> sums_;  // of the initialisation: client_sums_ a client
};

}  // namespace sotto::apps::robin
