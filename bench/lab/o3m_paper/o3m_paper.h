// The synthetic experiment of Cao et al. 2022 (section 5.1, appendix D.2; figures 4 and 6): LinUCB and LinTS on all
// features in one place (central), on masked features of several participants (masked), and on a share of the features
// alone (partial), on the same instances.
//
// All policies of a repeat meet the same contexts and the same noise. The masked bandit shares the streams of ties and
// of LinTS's noise with its central twin, so that both pull the same arms, not only earn the same on average.
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

// The cost model of Cao et al. 2022 (table 1, section 4.4, appendix C), which figure 5 is drawn from: one operation for
// each addition, multiplication, comparison or random draw of one element, d^3 for an inverse, a factorisation or an
// orthogonalisation; one unit of communication an element, 8 bytes each. The model speaks of naive implementations; the
// cost of this one is measured beside it.

struct CostSetting {
  std::uint64_t steps = 5000;
  std::size_t arms = 10;         // K
  std::size_t dimension = 100;   // d
  std::size_t participants = 5;  // M
};

// The columns of each participant, as even as they go. A column that is left over goes to a later participant than by
// even_columns(): figures of a seed depend on who has it.
[[nodiscard]] std::vector<std::size_t> split_columns(std::size_t dimension, std::size_t participants);

// Operations of a whole run, all participants together.
[[nodiscard]] double central_operations(LinearAlgorithm algorithm, const CostSetting& setting);
[[nodiscard]] double masked_operations(LinearAlgorithm algorithm, const CostSetting& setting);
// masked / central: figure 5 (a) and (b).
[[nodiscard]] double relative_cost(LinearAlgorithm algorithm, const CostSetting& setting);

// Bytes of a whole run, and of one step without the delivery of the mask. As the paper counts, with the bytes that the
// active participant and the mask generator would send to themselves.
[[nodiscard]] double model_bytes(const CostSetting& setting);
[[nodiscard]] double model_step_bytes(const CostSetting& setting);

// Bytes that this implementation's participants and mask generator send in a whole run over its links, frame headers
// included, TLS not: planned from the program that the roles run, exact. The mask is generated by a third party.
[[nodiscard]] double planned_bytes(const CostSetting& setting);

// What a step costs in this implementation, measured on one thread: the bandit alone (the central twin's step), and the
// masking besides, all participants' and the sum together, as the paper's model counts it.
struct MeasuredCost {
  CostSetting setting;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double play_seconds = 0;  // a step: select and update
  double mask_seconds = 0;  // a step: of all participants
  double own_seconds = 0;   // a step: what of the masking is the active participant's
  [[nodiscard]] double relative() const { return (play_seconds + mask_seconds) / play_seconds; }
  [[nodiscard]] double relative_at_active() const { return (play_seconds + own_seconds) / play_seconds; }
};

// For each algorithm, about `seconds` of it. The least of several samples counts.
[[nodiscard]] MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                                        const std::atomic<bool>& interrupted);

// Figure 6 (c) of Cao et al. 2022 on a Criteo log that the user has (bench/lab/data/criteo.h says how it becomes a
// bandit problem): the click-through rate of VFUCB, of central LinUCB and of LinUCB on a share of the features, by
// unbiased offline evaluation (apps/kit/learn/replay.h), relative to that of random play.
//
// Relative CTR = CTR / CTR_random, CTR_random being the mean over 5 random policies. A partial policy sees a random
// part of the 39 features, anew in each of 5 partitions. The log's advertisements were not shown at random, as theory
// asks for: the figures compare policies, and are no forecast of clicks.

struct CriteoSettings {
  std::filesystem::path file;
  std::uint64_t rows = 1'000'000;  // of the file, from its start
  std::size_t arms = 40;
  CriteoUser scales = ones();  // of the user's features
  double beta = 0.6;
  double lambda = 1;
  std::size_t participants = 5;
  std::size_t partitions = 5;     // of each partial policy
  std::size_t random_states = 5;  // of random play
  std::uint64_t seed = 1;

  [[nodiscard]] static CriteoUser ones() {
    CriteoUser user;
    user.fill(1);
    return user;
  }
};

// What one policy came to, over its partitions or random states.
struct CriteoPolicy {
  std::string key;   // "vfucb", "linucb", "linucb_80", "linucb_20", "random"
  std::string name;  // for people
  std::size_t features = 0;
  std::vector<ReplayEstimate> runs;

  // Mean over the runs; a run that kept no event takes no part. Nothing where none did.
  [[nodiscard]] std::optional<double> ctr() const;
};

struct CriteoRuns {
  CriteoSettings settings;
  CriteoItems items;
  std::vector<CriteoPolicy> policies;
  // VFUCB and central LinUCB agreed on every event, though one sees masked contexts alone.
  bool arms_equal = true;

  [[nodiscard]] const CriteoPolicy& policy(const std::string& key) const;
  // CTR / CTR_random, of that policy's runs; nothing where random play got no click.
  [[nodiscard]] std::vector<double> relative_ctr(const std::string& key) const;
};

// Two passes over the file. InputError for a file that cannot be used.
[[nodiscard]] CriteoRuns run_criteo(const CriteoSettings& settings, const std::atomic<bool>& interrupted);

// `sotto-lab paper o3m`: all experiments of Cao et al. 2022.

struct PaperOptions {
  RegretSettings synthetic;  // played once for each noise, whatever noise_sd it has
  bool quick = false;        // fewer sizes for figure 5
  std::optional<CriteoSettings> criteo{};
};

struct PaperRuns {
  PaperOptions options;
  std::vector<RegretRuns> regret;   // one a noise: the paper's N(0, 0.05) is read both ways
  std::vector<MeasuredCost> costs;  // figure 5, all K and d of it
  std::vector<MeasuredCost> steps;  // table 1: at the synthetic experiment's size
  std::optional<CriteoRuns> criteo;
};

// Errors: InputError for settings and files, Interrupted.
[[nodiscard]] PaperRuns play_o3m_paper(const PaperOptions& options, const Runner& runner);
[[nodiscard]] ReportPage o3m_paper_page(const PaperRuns& runs, const std::vector<FigureTable>& tables);
// What is said of figure 6 (c) where no log was given.
extern const char* const no_criteo;
// What they came to: the tables checks, regret, table_1, computation, communication, and criteo where there is a log.
[[nodiscard]] Experiment o3m_paper(const PaperRuns& runs);

// The figures that a reproduction must come to: computed beforehand by an independent plain-text implementation of the
// same experiment (double precision, other seeds), and the statements of Cao et al. 2022 about their figure 5 that can
// be checked.

// Cumulative regret after 5000 steps, d = 100, K = 10.
struct RegretReference {
  double noise_variance = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  PaperPolicy policy = PaperPolicy::central;
  double mean = 0;
  double spread = 0;  // one standard deviation over repeats
};

[[nodiscard]] const std::vector<RegretReference>& regret_references();

// The mean of our repeats, give or take two of its standard errors, is within the reference's spread of the reference's
// mean. Nothing where the run is not of the setting that the reference is for, or has no such policy.
[[nodiscard]] std::vector<Check> check_regret(const RegretRuns& runs);
// The masked bandit pulls the arms of its central twin, and scores agree to 1e-9.
[[nodiscard]] std::vector<Check> check_lossless(const RegretRuns& runs);
// What the paper says about figure 5.
[[nodiscard]] std::vector<Check> check_cost_model();

// "LinUCB", "VFUCB", "LinUCB, 20% of the features", "uniform play".
[[nodiscard]] std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy);
// "noise sd 0.05" or "noise variance 0.05".
[[nodiscard]] std::string noise_name(double noise_sd);

}  // namespace sotto::apps::lab
