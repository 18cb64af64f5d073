// The synthetic experiment of Cao et al. 2022 (section 5.1, appendix D.2; figures 4 and 6): LinUCB and LinTS on all
// features in one place (central), on masked features of several participants (masked), and on a share of the features
// alone (partial), on the same instances.
//
// All policies of a repeat meet the same contexts and the same noise. The masked bandit shares the streams of ties and
// of LinTS's noise with its central twin, so that both pull the same arms, not only earn the same on average.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/learn/mean.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::lab {

inline constexpr std::array paper_algorithms{LinearAlgorithm::ucb, LinearAlgorithm::ts};

// A partial policy has the first columns alone; share 1 of the features is the central policy.
enum class PaperPolicy : std::uint8_t { central, masked, most, least, uniform };

inline constexpr double most_share = 0.8;
inline constexpr double least_share = 0.2;

struct RegretSettings {
  std::size_t arms = 10;
  std::vector<std::size_t> columns{20, 20, 20, 20, 20};  // of each participant
  std::uint64_t steps = 5000;
  // The paper has 5. On 20% of the features regret has a standard deviation of 60 from repeat to repeat: the mean of 5
  // says little.
  std::size_t repeats = 40;
  std::uint64_t seed = 1;
  double noise_sd = 0.05;
  double beta = 0.5;
  double v = 0.01;
  double lambda = 1;

  [[nodiscard]] std::size_t dimension() const;
  // Features of a policy; a share is rounded to the nearest whole number, 1 at least.
  [[nodiscard]] std::size_t features(PaperPolicy policy) const;
};

class PaperPlayer {
 public:
  virtual ~PaperPlayer() = default;
  // An arm, by the contexts of all arms, one after the other.
  [[nodiscard]] virtual std::size_t select(std::uint64_t step, std::span<const double> contexts) = 0;
  // Learns from the contexts of the last select().
  virtual void update(std::size_t arm, double reward) = 0;
};

// A bandit that sees some columns of the contexts alone.
class PartialBandit final : public PaperPlayer {
 public:
  // The columns give the dimension; contexts have `whole` of them.
  PartialBandit(LinearBanditOptions options, std::size_t whole, std::vector<std::size_t> columns);

  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts) override;
  void update(std::size_t arm, double reward) override;
  [[nodiscard]] const LinearBandit& bandit() const { return bandit_; }

 private:
  std::size_t whole_;
  std::vector<std::size_t> columns_;
  std::vector<double> own_;
  LinearBandit bandit_;
};

// One quantity at the points of the curve, for each repeat.
using RepeatedCurve = std::vector<std::vector<double>>;

struct PolicyRuns {
  RepeatedCurve regret;           // cumulative
  RepeatedCurve norm_difference;  // | |theta| - |theta of the central twin| |
};

struct RegretRuns {
  RegretSettings settings;
  std::vector<std::uint64_t> points;  // steps after which the curves have a value, the last step's too
  std::map<std::pair<LinearAlgorithm, PaperPolicy>, PolicyRuns> policies;
  PolicyRuns uniform;  // every arm alike: regret alone
  // Of the masked bandit and its central twin, over all steps, arms and repeats.
  std::map<LinearAlgorithm, double> max_score_difference;
  bool arms_equal = true;

  [[nodiscard]] const PolicyRuns& of(LinearAlgorithm algorithm, PaperPolicy policy) const;
};

// Over the repeats, at point i of the curve.
[[nodiscard]] MeanAndSd at_point(const RepeatedCurve& curve, std::size_t i);
// Over the repeats, at the end.
[[nodiscard]] MeanAndSd at_end(const RepeatedCurve& curve);

// Repeats run side by side on the machine's cores; results do not depend on how many there are.
[[nodiscard]] RegretRuns run_regret(const RegretSettings& settings, const std::atomic<bool>& interrupted);

// The masked contexts that an O3M run would give its active participant, made in one process: the same blocks of a
// Haar-distributed mask and the same sum in fixed point as over the links, in less time. Only the zero shares are left
// out: they cancel exactly in Z/2^64, so the sum is the same word for word.

// What one participant does, and then the sum at the active one. Not for several threads at once.
class LocalMasking {
 public:
  // The mask is drawn from `seed`. Throws what plan_o3m throws.
  LocalMasking(const o3m::O3mParameters& parameters, std::uint64_t seed);

  // masked = Q x for each row of `contexts`, rows x d.
  void mask(std::span<const double> contexts, std::span<double> masked);
  // What of this the active participant does itself: its own block, one sum to add, decoding. `masked` is not the whole
  // of anything; only the time that it takes is of use.
  void mask_own_part(std::span<const double> contexts, std::span<double> masked);

 private:
  void begin(std::span<const double> contexts, std::span<double> masked);
  void add(std::size_t participant, std::span<const double> contexts);

  o3m::O3mPlan plan_;
  std::vector<o3m::BlockMask> blocks_;
  // Of the call under way: one participant's contexts, its masked ones, and the sums.
  std::vector<double> own_, masked_own_;
  std::vector<std::uint64_t> words_, sums_;
};

}  // namespace sotto::apps::lab
