// Plays the points of an experiment: makes the encoders that they need, and repeats each.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sotto/apps/p2b/encoder.h"
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
  // Each encoder is fitted once, whatever asks for it, and its codes are tabled where the grid is small enough. With a
  // file, the encoder that it has; InputError where it is of another dimension, and where the grid has fewer points than
  // `codes`.
  [[nodiscard]] std::shared_ptr<const Encoder> encoder(std::size_t dimension, std::size_t codes);

  const SimulateSettings& settings_;
  const SimulateProgress& progress_;
  const std::atomic<bool>& interrupted_;
  std::shared_ptr<const Encoder> fixed_;  // from the settings' file
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const Encoder>> fitted_;
  double seconds_encoders_ = 0;
};

// Checks the settings, lets `play` fill the result, and adds what all experiments have in common, from the headline and
// the settings.
[[nodiscard]] SimulateResult run_experiment(const char* experiment, const char* title, const SimulateSettings& settings,
                                            const SimulateProgress& progress, const std::atomic<bool>& interrupted,
                                            const std::function<void(SimulateResult&, SimulateRunner&)>& play);

}  // namespace sotto::apps
