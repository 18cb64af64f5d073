// Clients of a ROBIN run that are played in one process: each client plays its own steps and keeps its own statistics,
// and no data of one client reaches another.
//
// A pool receives the phases in order, each once. In local phases, each client plays LinUCB with its own statistics,
// which are kept from phase to phase. In phases that are not local, each client plays greedily on the broadcast. At the
// end of a phase with an upload, each client makes a least squares estimate of theta. The estimate after the
// initialisation uses all steps of the client; later estimates use only the steps of the phase. In directions in which
// no context has a component, the estimate is 0.
//
// If scores are equal, the arm with the lowest number is pulled. Results are the same for any number of threads and any
// CPU. A greedy step at d = 4, K = 5 costs about 100 ns, including the drawing of contexts.
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

// The results of one phase, for all clients of a pool.
struct PhaseReport {
  std::vector<double> estimates;  // clients x dimension, row-major; empty without an upload
  double regret = 0;              // sum over clients and steps
  double reward = 0;              // sum of the clipped rewards over clients and steps
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;

  // Describes all fields except the estimates.
  static void describe(auto& self, auto&& field) {
    field("regret", self.regret);
    field("reward", self.reward);
    field("rewards_clipped", self.rewards_clipped);
    field("features_clipped", self.features_clipped);
  }

  // Appends the results of the next clients.
  void append(const PhaseReport& next);
};

// Receives the number of steps that all clients played since the last call; called from any thread.
using StepsPlayed = std::function<void(std::uint64_t)>;

class ClientPool {
 public:
  // Plays clients first .. first + count - 1 of the instance. `settings` are resolved().
  ClientPool(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance, std::uint64_t first,
             std::size_t count);
  [[nodiscard]] std::size_t clients() const { return count_; }

  // `broadcast` has dimension numbers; in a local phase it is empty. Throws Interrupted if `interrupted` is set.
  [[nodiscard]] PhaseReport play(const Phase& phase, std::span<const double> broadcast, std::size_t threads,
                                 const std::atomic<bool>& interrupted, const StepsPlayed& played = {});

 private:
  [[nodiscard]] PhaseReport play_part(const Phase& phase, std::span<const double> broadcast, std::size_t begin,
                                      std::size_t end, const std::atomic<bool>& interrupted);

  RobinSettings settings_;
  std::shared_ptr<const RobinInstance> instance_;
  std::uint64_t first_;
  std::size_t count_;
  std::size_t client_sums_;  // how many numbers a client's sums have: triangle and moments
  std::uint64_t next_step_ = 0;
  std::vector<double> sums_;  // sums of the initialisation: client_sums_ numbers for each client
};

}  // namespace sotto::apps::robin
