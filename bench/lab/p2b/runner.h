// Plays the points of an experiment: makes the encoders that they need, and repeats each.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "sotto/bench/lab/p2b/encoders.h"
#include "sotto/bench/lab/p2b/simulate.h"

namespace sotto::apps {

class SimulateRunner {
 public:
  using WorldOf = std::function<std::shared_ptr<const World>(std::size_t repeat)>;

  SimulateRunner(const SimulateSettings& settings, const SimulateProgress& progress,
                 const std::atomic<bool>& interrupted);

  // `name` says what is played, for the progress line. The worlds must be of the settings' dimension and arms;
  // `deal_users` anew in each repeat, or leave them in the world's order.
  [[nodiscard]] SimulatePoint play(const PointSettings& settings, std::size_t repeats, const WorldOf& world,
                                   bool deal_users, const std::string& name);

  // The variants that were asked for. Of a number of codes that is 0, as many as an encoder from a file has, or 32, or
  // the largest power of two that a smaller grid allows.
  [[nodiscard]] std::vector<VariantKey> variants(std::size_t dimension) const;
  [[nodiscard]] double seconds_encoders() const { return seconds_encoders_; }

 private:
  [[nodiscard]] std::vector<P2bVariant> with_encoders(const PointSettings& settings);

  const SimulateSettings& settings_;
  const SimulateProgress& progress_;
  const std::atomic<bool>& interrupted_;
  EncoderStore encoders_;
  double seconds_encoders_ = 0;
};

// Fills what all experiments have in common, from the headline and the settings.
void finish(SimulateResult& result, const SimulateRunner& runner, std::chrono::steady_clock::time_point start);

}  // namespace sotto::apps
