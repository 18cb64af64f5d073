// Plays clients of a ROBIN run in one process. No data of one client reaches another client.
//
// In local phases, each client plays LinUCB with its own statistics, which it keeps from phase to phase. In other
// phases, each client plays greedily on the broadcast. At the end of a phase with an upload, each client makes a least
// squares estimate of theta. The first estimate, after the local phases, uses all steps of the client. Later estimates
// use only the steps of their phase. If no context has a component in some direction, the estimate is 0 in this
// direction.
//
// If scores are equal, the client pulls the arm with the lowest number. Results are the same for any number of threads
// and any CPU.
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

struct PhaseReport {
  std::vector<double> estimates;  // clients x dimension, row-major; empty without an upload
  double regret = 0;
  double reward = 0;
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;

  static void describe(auto& self, auto&& field) {
    field("regret", self.regret);
    field("reward", self.reward);
    field("rewards_clipped", self.rewards_clipped);
    field("features_clipped", self.features_clipped);
  }

  void append(const PhaseReport& next);
};

// Called from any thread, with the number of steps that all clients have played since the last call.
using StepsPlayed = std::function<void(std::uint64_t)>;

class ClientPool {
 public:
  // `settings` must come from resolved().
  ClientPool(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance, std::uint64_t first,
             std::size_t count);
  [[nodiscard]] std::size_t clients() const { return count_; }

  // `broadcast` has `dimension` numbers; in a local phase it is empty. Throws Interrupted if `interrupted` is set.
  [[nodiscard]] PhaseReport play(const Phase& phase, std::span<const double> broadcast, std::size_t threads,
                                 const std::atomic<bool>& interrupted, const StepsPlayed& played = {});

 private:
  [[nodiscard]] PhaseReport play_part(const Phase& phase, std::span<const double> broadcast, std::size_t begin,
                                      std::size_t end, const std::atomic<bool>& interrupted);

  RobinSettings settings_;
  std::shared_ptr<const RobinInstance> instance_;
  std::uint64_t first_;
  std::size_t count_;
  std::size_t client_sums_;
  std::uint64_t next_step_ = 0;
  std::vector<double> sums_;
};

}  // namespace sotto::apps::robin
