// The synthetic experiment of Malekzadeh et al. 2020. Contexts are uniform on [0, 1]^d and scaled to sum 1, with a new
// context at each step of each user. Arm a pays 1 with probability clip(x.W_a + noise N(0, 1), 0, 1), else 0. The
// entries of W are uniform on +-sqrt(6 / (d + A)), with one W for all users.
//
// Everything follows from the seed, and only W is stored. All agents that meet a user's step meet the same context and
// the same reward of each arm there.
#pragma once

#include <atomic>

#include "apps/p2b/world.h"
#include "bench/lab/data/multi_label.h"

namespace sotto::apps::lab {

struct SyntheticSettings {
  std::size_t users = 1428;
  std::size_t dimension = 10;  // d: number of features
  std::size_t arms = 10;       // A: number of arms
  std::size_t steps = 10;      // T: number of steps of each user
  double noise = 0.01;         // standard deviation of the noise
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

// The Criteo log (bench/lab/data/criteo.h) as a bandit for P2B, after Malekzadeh et al. 2020. An advertisement that was
// shown is a step. Counts of the user are the context, and kinds of advertisement are the arms.
//
//   arms      the most common labels of the hashed categories (bench/lab/data/criteo.h); other rows are
//             left out
//   context   the d integers with the fewest missing values, in the file's order; each minus its smallest value,
//             missing ones 0; scaled to sum 1
//   users     each has the next `steps` rows that are left, up to `users` users
//   reward    1 for a click. In a row only the reward of the arm that was shown is known, so
//             agents are evaluated by replay: unbiased if the log's arms were drawn uniformly. Criteo's arms were not:
//             figures compare agents, and are no forecast of clicks.
//
// The authors' code differs: it keeps only clicked rows, and pays if the agent guesses the kind that was clicked.
// `clicked_only` does the same here: every row is then a step whose rewards are all known.
//
// The file is read twice; memory is that of the users that are kept.

struct CriteoWorldSettings {
  std::filesystem::path file;
  std::uint64_t rows = UINT64_MAX;  // limit of the rows that are read, from the start of the file
  std::size_t dimension = 10;
  std::size_t arms = 40;
  std::size_t users = 3000;
  std::size_t steps = 300;
  bool clicked_only = false;
};

struct CriteoData {
  std::shared_ptr<const p2b::World> world;
  std::uint64_t rows = 0;            // number of rows that were read
  std::uint64_t kept = 0;            // number of rows with the label of an arm
  std::uint64_t labels = 0;          // number of distinct labels
  std::uint64_t clicks = 0;          // number of clicks in the rows of the users
  std::uint64_t steps = 0;           // number of steps of all users
  std::vector<std::size_t> context;  // for each feature of the context, the index of its integer, from 0
};

// Throws InputError for a file that cannot be used, or with rows for fewer than 2 users.
[[nodiscard]] CriteoData read_criteo_world(const CriteoWorldSettings& settings, const std::atomic<bool>& interrupted);

// Multi-label data (bench/lab/data/multi_label.h) as a bandit, as in Malekzadeh et al. 2020. A row is a step, its
// features are the context, and the labels are the arms. An arm pays 1 if the row has that label.
//
//   arms      the most common labels (of equal counts, the smaller label)
//   context   the features with the largest chi-square score, on average over those labels. The score measures how far
//             the sum of the feature over the rows with a label is from its share of the rows. It adds the same for the
//             rows without the label (as scikit-learn's chi2). Features below 0 count as 0. Each context is then scaled
//             to sum 1.
//   users     each has the next `steps` rows of the file; rows left over at its end are not used
//
// The file is read three times. Memory holds a user's contexts and rewards, and during the second pass features x arms
// sums. The choice of features looks at labels, as in the paper: it is done once, on public data or by somebody who may
// see all of it.
struct MultiLabelSettings {
  std::filesystem::path file;
  LabelColumns labels;  // the labels of an ARFF file
  std::size_t dimension = 20;
  std::size_t arms = 20;
  std::size_t steps = 100;
};

struct MultiLabelData {
  std::shared_ptr<const p2b::TableWorld> world;
  std::uint64_t rows = 0;
  std::uint64_t features = 0;  // number of features in the file, up to the largest one that a row names
  std::uint64_t labels = 0;
  std::vector<std::uint32_t> arms;     // the label of each arm
  std::vector<std::uint32_t> context;  // for each feature of the context, its index in the file
  std::uint64_t features_clipped = 0;  // number of values below 0 of chosen features
};

// Throws InputError if the file has fewer labels or features than requested, or rows for fewer than 2 users.
[[nodiscard]] MultiLabelData read_multi_label(const MultiLabelSettings& settings, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
