// The synthetic experiment of Malekzadeh et al. 2020. Contexts are uniform on [0, 1]^d and scaled to sum 1, with a new
// context at each step of each user. For a context x, arm a pays 1 with probability clip(x.W_a + noise z, 0, 1) and
// else 0. Here W_a is row a of the weight matrix W, and z is standard normal. For A arms, the entries of W are uniform
// between -sqrt(6 / (d + A)) and sqrt(6 / (d + A)). All users share one W.
//
// At a step of a user, all agents get the same context and the same reward of each arm.
#pragma once

#include <atomic>

#include "apps/p2b/world.h"
#include "bench/lab/data/multi_label.h"

namespace sotto::apps::lab {

struct SyntheticSettings {
  std::size_t users = 1428;
  std::size_t dimension = 10;  // d
  std::size_t arms = 10;       // A
  std::size_t steps = 10;      // T
  double noise = 0.01;
};

class SyntheticWorld : public p2b::World {
 public:
  SyntheticWorld(const SyntheticSettings& settings, std::uint64_t seed);

  [[nodiscard]] std::size_t users() const override { return settings_.users; }
  [[nodiscard]] std::size_t dimension() const override { return settings_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return settings_.arms; }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] bool expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::span<double> out) const override;

 private:
  [[nodiscard]] double mean(std::span<const double> context, std::size_t arm) const;

  SyntheticSettings settings_;
  std::uint64_t seed_;
  std::vector<double> weights_;  // the rows of W, A x d
};

// The Criteo log (bench/lab/data/criteo.h) as a bandit for P2B, after Malekzadeh et al. 2020. Each shown advertisement
// is a step.
//
//   arms      the most common labels of the hashed categories (bench/lab/data/criteo.h); rows with other labels are
//             left out
//   context   the d integers with the fewest missing values, in the file's order. The smallest value of each integer is
//             subtracted, missing values are 0, and the context is scaled to sum 1.
//   users     each user has the next `steps` rows that are not left out, up to `users` users
//   reward    1 for a click. Each row has only the reward of the arm that was shown, so agents are evaluated by replay.
//             Replay is unbiased if the log's arms were drawn uniformly. Criteo's arms were not drawn uniformly, so
//             figures compare agents and do not forecast clicks.
//
// With `clicked_only`, as in the authors' code, only clicked rows are kept, and the arm that was clicked pays.

struct CriteoWorldSettings {
  std::filesystem::path file;
  std::uint64_t rows = UINT64_MAX;
  std::size_t dimension = 10;
  std::size_t arms = 40;
  std::size_t users = 3000;
  std::size_t steps = 300;
  bool clicked_only = false;
};

struct CriteoData {
  std::shared_ptr<const p2b::World> world;
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  std::uint64_t labels = 0;
  std::uint64_t clicks = 0;
  std::uint64_t steps = 0;  // of all users
  std::vector<std::size_t> context;
};

[[nodiscard]] CriteoData read_criteo_world(const CriteoWorldSettings& settings, const std::atomic<bool>& interrupted);

// Multi-label data (bench/lab/data/multi_label.h) as a bandit, as in Malekzadeh et al. 2020. Each row is a step, the
// row's features are the context, and the labels are the arms. An arm pays 1 if the row has the arm's label.
//
//   arms      the most common labels; if two labels are equally common, the smaller label is preferred
//   context   the features with the largest chi-square score (scikit-learn's chi2), on average over the arms' labels.
//             Features below 0 count as 0. Each context is then scaled to sum 1.
//   users     each user has the next `steps` rows of the file; rows left over at the end of the file are not used
//
// The choice of features uses the labels, so it must be made once, on public data or by somebody who may see all data.
struct MultiLabelSettings {
  std::filesystem::path file;
  LabelColumns labels;  // of an ARFF file
  std::size_t dimension = 20;
  std::size_t arms = 20;
  std::size_t steps = 100;
};

struct MultiLabelData {
  std::shared_ptr<const p2b::TableWorld> world;
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t labels = 0;
  std::vector<std::uint32_t> arms;
  std::vector<std::uint32_t> context;
  std::uint64_t features_clipped = 0;
};

[[nodiscard]] MultiLabelData read_multi_label(const MultiLabelSettings& settings, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
