// The experiments of Cao et al. 2022. The synthetic experiment (section 5.1, appendix D.2; figures 4 and 6) compares
// three bandits. The central bandit sees all features, the masked bandit sees masked features of several participants,
// and a partial bandit sees a share of the features.
//
// All policies of a repeat get the same contexts and the same noise. The masked bandit and its central twin draw ties
// and LinTS's noise from the same random streams. The masked bandit and its twin therefore pull the same arms.
#pragma once

#include <map>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/learn/replay.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"
#include "bench/lab/data/criteo.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

inline constexpr std::array paper_algorithms{LinearAlgorithm::ucb, LinearAlgorithm::ts};

// `most` and `least` see only the first columns.
enum class PaperPolicy : std::uint8_t { central, masked, most, least, uniform };

inline constexpr double most_share = 0.8;
inline constexpr double least_share = 0.2;

struct RegretSettings {
  std::size_t arms = 10;
  std::vector<std::size_t> columns{20, 20, 20, 20, 20};
  std::uint64_t steps = 5000;
  // The paper has 5 repeats. With 20% of the features, the regret has a standard deviation of 60 over the repeats, so
  // the mean of 5 repeats is not informative.
  std::size_t repeats = 40;
  std::uint64_t seed = 1;
  double noise_sd = 0.05;
  double beta = 0.5;
  double v = 0.01;
  double lambda = 1;

  [[nodiscard]] std::size_t dimension() const;
  // A share is rounded to the nearest whole number, at least 1.
  [[nodiscard]] std::size_t features(PaperPolicy policy) const;
};

class PaperPlayer {
 public:
  virtual ~PaperPlayer() = default;
  // `contexts` contains the contexts of all arms, one after the other.
  [[nodiscard]] virtual std::size_t select(std::uint64_t step, std::span<const double> contexts) = 0;
  virtual void update(std::size_t arm, double reward) = 0;
};

class PartialBandit final : public PaperPlayer {
 public:
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

using RepeatedCurve = std::vector<std::vector<double>>;

struct PolicyRuns {
  RepeatedCurve regret;           // cumulative regret
  RepeatedCurve norm_difference;  // | |theta| - |theta of the central twin| |
};

struct RegretRuns {
  RegretSettings settings;
  std::vector<std::uint64_t> points;
  std::map<std::pair<LinearAlgorithm, PaperPolicy>, PolicyRuns> policies;
  PolicyRuns uniform;
  std::map<LinearAlgorithm, double> max_score_difference;
  bool arms_equal = true;

  [[nodiscard]] const PolicyRuns& of(LinearAlgorithm algorithm, PaperPolicy policy) const;
};

[[nodiscard]] MeanAndSd at_point(const RepeatedCurve& curve, std::size_t i);
[[nodiscard]] MeanAndSd at_end(const RepeatedCurve& curve);

// Results do not depend on the number of cores.
[[nodiscard]] RegretRuns run_regret(const RegretSettings& settings, const std::atomic<bool>& interrupted);

// The masked contexts of an O3M run, made in one process without the zero shares, which cancel exactly in Z/2^64. Only
// one thread may use an object at a time.
class LocalMasking {
 public:
  LocalMasking(const o3m::O3mParameters& parameters, std::uint64_t seed);

  // Writes Q x to `masked` for each row x of `contexts`. Both arrays have rows of d numbers.
  void mask(std::span<const double> contexts, std::span<double> masked);
  // Does only the active participant's part, for measuring its time. The content of `masked` has no meaning.
  void mask_own_part(std::span<const double> contexts, std::span<double> masked);

 private:
  void begin(std::span<const double> contexts, std::span<double> masked);
  void add(std::size_t participant, std::span<const double> contexts);

  o3m::O3mPlan plan_;
  std::vector<o3m::BlockMask> blocks_;
  std::vector<double> own_, masked_own_;
  std::vector<std::uint64_t> words_, sums_;
};

// The cost model of Cao et al. 2022 (table 1, section 4.4, appendix C), from which figure 5 is drawn. The model counts
// one operation for each addition, multiplication, comparison or random draw of one element, and d^3 for an inverse, a
// factorisation or an orthogonalisation. The model counts one unit of communication for each element, 8 bytes each. The
// model describes naive implementations.

struct CostSetting {
  std::uint64_t steps = 5000;
  std::size_t arms = 10;         // K
  std::size_t dimension = 100;   // d
  std::size_t participants = 5;  // M
};

// Splits the columns as evenly as possible. An extra column goes to a later participant than with even_columns()
// (apps/bandit/run/result/link_model.h). The figures for a seed depend on this split.
[[nodiscard]] std::vector<std::size_t> split_columns(std::size_t dimension, std::size_t participants);

[[nodiscard]] double central_operations(LinearAlgorithm algorithm, const CostSetting& setting);
[[nodiscard]] double masked_operations(LinearAlgorithm algorithm, const CostSetting& setting);
// The operations of the masked bandit divided by the operations of the central bandit: figure 5 (a) and (b).
[[nodiscard]] double relative_cost(LinearAlgorithm algorithm, const CostSetting& setting);

// model_bytes() returns the bytes of a whole run, and model_step_bytes() the bytes of one step without the delivery of
// the mask. Like the paper's count, this count includes the bytes that the active participant and the mask generator
// would send to themselves.
[[nodiscard]] double model_bytes(const CostSetting& setting);
[[nodiscard]] double model_step_bytes(const CostSetting& setting);

// The exact bytes that participants and mask generator send in a whole run, including frame headers but not TLS. A
// third party generates the mask.
[[nodiscard]] double planned_bytes(const CostSetting& setting);

// The cost of a step in this implementation, on one thread. Masking includes all participants and the sum.
struct MeasuredCost {
  CostSetting setting;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double play_seconds = 0;  // selecting and updating, for each step
  double mask_seconds = 0;  // masking by all participants, for each step
  double own_seconds = 0;   // masking by the active participant, for each step
  [[nodiscard]] double relative() const { return (play_seconds + mask_seconds) / play_seconds; }
  [[nodiscard]] double relative_at_active() const { return (play_seconds + own_seconds) / play_seconds; }
};

[[nodiscard]] MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                                        const std::atomic<bool>& interrupted);

// Figure 6 (c) of Cao et al. 2022 on a Criteo log. The click-through rates come from unbiased offline evaluation
// (apps/kit/learn/replay.h).
//
// Relative CTR = CTR / CTR_random, where CTR_random is the mean over 5 random policies. A partial policy sees a random
// part of the 39 features, drawn again for each of 5 partitions. Theory requires that the log's advertisements were
// shown at random, but they were not. The figures therefore compare policies, and do not forecast clicks.

struct CriteoSettings {
  std::filesystem::path file;
  std::uint64_t rows = 1'000'000;
  std::size_t arms = 40;
  CriteoUser scales = ones();
  double beta = 0.6;
  double lambda = 1;
  std::size_t participants = 5;
  std::size_t partitions = 5;
  std::size_t random_states = 5;  // of random play
  std::uint64_t seed = 1;

  [[nodiscard]] static CriteoUser ones() {
    CriteoUser user;
    user.fill(1);
    return user;
  }
};

struct CriteoPolicy {
  std::string key;
  std::string name;  // for people
  std::size_t features = 0;
  std::vector<ReplayEstimate> runs;

  [[nodiscard]] std::optional<double> ctr() const;
};

struct CriteoRuns {
  CriteoSettings settings;
  CriteoItems items;
  std::vector<CriteoPolicy> policies;
  bool arms_equal = true;

  [[nodiscard]] const CriteoPolicy& policy(const std::string& key) const;
  // For each run of the policy; empty if random play got no click.
  [[nodiscard]] std::vector<double> relative_ctr(const std::string& key) const;
};

[[nodiscard]] CriteoRuns run_criteo(const CriteoSettings& settings, const std::atomic<bool>& interrupted);

struct PaperOptions {
  RegretSettings synthetic;  // played once for each noise; noise_sd is ignored
  bool quick = false;
  std::optional<CriteoSettings> criteo{};
};

struct PaperRuns {
  PaperOptions options;
  std::vector<RegretRuns> regret;  // one for each reading of the paper's noise N(0, 0.05)
  std::vector<MeasuredCost> costs;
  std::vector<MeasuredCost> steps;
  std::optional<CriteoRuns> criteo;
};

[[nodiscard]] PaperRuns play_o3m_paper(const PaperOptions& options, const Runner& runner);
[[nodiscard]] ReportPage o3m_paper_page(const PaperRuns& runs, const std::vector<FigureTable>& tables);
extern const char* const no_criteo;
[[nodiscard]] Experiment o3m_paper(const PaperRuns& runs);

// The figures that a reproduction must reach, computed beforehand by an independent plain-text implementation (double
// precision, other seeds).

// Cumulative regret after 5000 steps, d = 100, K = 10.
struct RegretReference {
  double noise_variance = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  PaperPolicy policy = PaperPolicy::central;
  double mean = 0;
  double spread = 0;
};

[[nodiscard]] const std::vector<RegretReference>& regret_references();

// Our mean may differ from the reference's mean by at most the reference's spread plus two standard errors of our mean.
// Returns no checks if the run's setting differs from the reference's, or if policies are missing.
[[nodiscard]] std::vector<Check> check_regret(const RegretRuns& runs);
[[nodiscard]] std::vector<Check> check_lossless(const RegretRuns& runs);
[[nodiscard]] std::vector<Check> check_cost_model();

[[nodiscard]] std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy);
[[nodiscard]] std::string noise_name(double noise_sd);

}  // namespace sotto::apps::lab
