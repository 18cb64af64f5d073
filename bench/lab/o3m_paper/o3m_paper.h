// The synthetic experiment of Cao et al. 2022 (section 5.1, appendix D.2; figures 4 and 6). LinUCB and LinTS play on
// the same instances in three ways. The bandits see all features in one place (central), masked features of several
// participants (masked), or only a share of the features (partial).
//
// All policies of a repeat get the same contexts and the same noise. The masked bandit and its central twin draw ties
// and LinTS's noise from the same random streams. Because of the shared streams, the masked bandit and its twin pull
// the same arms, instead of only earning the same on average.
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

// The policies `most` and `least` see only the first columns; with all columns, either policy would equal `central`.
enum class PaperPolicy : std::uint8_t { central, masked, most, least, uniform };

inline constexpr double most_share = 0.8;
inline constexpr double least_share = 0.2;

struct RegretSettings {
  std::size_t arms = 10;
  std::vector<std::size_t> columns{20, 20, 20, 20, 20};  // number of features of each participant
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
  // The number of features of a policy; a share is rounded to the nearest whole number, at least 1.
  [[nodiscard]] std::size_t features(PaperPolicy policy) const;
};

class PaperPlayer {
 public:
  virtual ~PaperPlayer() = default;
  // Selects an arm. `contexts` has the contexts of all arms, one after the other.
  [[nodiscard]] virtual std::size_t select(std::uint64_t step, std::span<const double> contexts) = 0;
  // Learns the reward of `arm` for the contexts of the last call of select().
  virtual void update(std::size_t arm, double reward) = 0;
};

// A bandit that sees only some columns of the contexts.
class PartialBandit final : public PaperPlayer {
 public:
  // `columns` are the columns that the bandit sees, as many as its dimension; the contexts have `whole` columns.
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
  RepeatedCurve regret;           // cumulative regret
  RepeatedCurve norm_difference;  // | |theta| - |theta of the central twin| |
};

struct RegretRuns {
  RegretSettings settings;
  std::vector<std::uint64_t> points;  // the steps after which the curves have a value, including the last step
  std::map<std::pair<LinearAlgorithm, PaperPolicy>, PolicyRuns> policies;
  PolicyRuns uniform;  // play that chooses each arm with equal probability; has only a regret
  // Comparison of the masked bandit with its central twin, over all steps, arms and repeats.
  std::map<LinearAlgorithm, double> max_score_difference;
  bool arms_equal = true;

  [[nodiscard]] const PolicyRuns& of(LinearAlgorithm algorithm, PaperPolicy policy) const;
};

// The mean over the repeats at point i of the curve.
[[nodiscard]] MeanAndSd at_point(const RepeatedCurve& curve, std::size_t i);
// The mean over the repeats at the last point of the curve.
[[nodiscard]] MeanAndSd at_end(const RepeatedCurve& curve);

// Repeats run in parallel on the machine's cores; results do not depend on the number of cores.
[[nodiscard]] RegretRuns run_regret(const RegretSettings& settings, const std::atomic<bool>& interrupted);

// The masked contexts that an O3M run would give its active participant, made in one process. The blocks of a
// Haar-distributed mask and the sum in fixed point are the same as in a run over links, but take less time. Only the
// zero shares are left out: zero shares cancel exactly in Z/2^64, so every word of the sum is the same without them.

// Does the work of all participants: masks the contexts of each participant, and then adds up like the active
// participant. Only one thread may use an object at a time.
class LocalMasking {
 public:
  // The mask is drawn from `seed`. Throws the errors of plan_o3m.
  LocalMasking(const o3m::O3mParameters& parameters, std::uint64_t seed);

  // Writes Q x to `masked` for each row x of `contexts`, rows x d.
  void mask(std::span<const double> contexts, std::span<double> masked);
  // Does only the active participant's part of the work: masking by its own block, adding one sum, and decoding. The
  // content of `masked` has no meaning; only the time of the call matters.
  void mask_own_part(std::span<const double> contexts, std::span<double> masked);

 private:
  void begin(std::span<const double> contexts, std::span<double> masked);
  void add(std::size_t participant, std::span<const double> contexts);

  o3m::O3mPlan plan_;
  std::vector<o3m::BlockMask> blocks_;
  // Buffers of the current call: one participant's contexts, its masked contexts, and the sums.
  std::vector<double> own_, masked_own_;
  std::vector<std::uint64_t> words_, sums_;
};

// The cost model of Cao et al. 2022 (table 1, section 4.4, appendix C), from which figure 5 is drawn. The model counts
// one operation for each addition, multiplication, comparison or random draw of one element, and d^3 for an inverse, a
// factorisation or an orthogonalisation. The model counts one unit of communication for each element, 8 bytes each. The
// model describes naive implementations; the cost of this implementation is measured for comparison.

struct CostSetting {
  std::uint64_t steps = 5000;
  std::size_t arms = 10;         // K: number of arms
  std::size_t dimension = 100;   // d: number of features
  std::size_t participants = 5;  // M: number of participants
};

// The columns of each participant, as even as possible. An extra column goes to a later participant than with
// even_columns(). The figures for a seed depend on this choice.
[[nodiscard]] std::vector<std::size_t> split_columns(std::size_t dimension, std::size_t participants);

// The operations of a whole run, all participants together.
[[nodiscard]] double central_operations(LinearAlgorithm algorithm, const CostSetting& setting);
[[nodiscard]] double masked_operations(LinearAlgorithm algorithm, const CostSetting& setting);
// The operations of the masked bandit divided by the operations of the central bandit: figure 5 (a) and (b).
[[nodiscard]] double relative_cost(LinearAlgorithm algorithm, const CostSetting& setting);

// Bytes of a whole run, and of one step without the delivery of the mask. Like the paper's count, this count includes
// the bytes that the active participant and the mask generator would send to themselves.
[[nodiscard]] double model_bytes(const CostSetting& setting);
[[nodiscard]] double model_step_bytes(const CostSetting& setting);

// The bytes that this implementation's participants and mask generator send in a whole run over its links, including
// frame headers but not TLS. The count is exact, because it is planned from the program that the roles run. A third
// party generates the mask.
[[nodiscard]] double planned_bytes(const CostSetting& setting);

// The cost of a step in this implementation, measured on one thread: the cost of only the bandit (the central twin's
// step), and the additional cost of masking. Masking includes all participants and the sum, as the paper's model counts
// it.
struct MeasuredCost {
  CostSetting setting;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double play_seconds = 0;  // time to select and update, for each step
  double mask_seconds = 0;  // time of all participants' masking, for each step
  double own_seconds = 0;   // time of the active participant's part of the masking, for each step
  [[nodiscard]] double relative() const { return (play_seconds + mask_seconds) / play_seconds; }
  [[nodiscard]] double relative_at_active() const { return (play_seconds + own_seconds) / play_seconds; }
};

// Measures each algorithm for about `seconds`. Returns the smallest of several samples.
[[nodiscard]] MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                                        const std::atomic<bool>& interrupted);

// Figure 6 (c) of Cao et al. 2022 on a Criteo log that the user has (bench/lab/data/criteo.h describes how the log
// becomes a bandit problem). The figure compares the click-through rates of VFUCB, of central LinUCB and of LinUCB on a
// share of the features. The rates come from unbiased offline evaluation (apps/kit/learn/replay.h) and are relative to
// the rate of random play.
//
// Relative CTR = CTR / CTR_random, where CTR_random is the mean over 5 random policies. A partial policy sees a random
// part of the 39 features, drawn again for each of 5 partitions. Theory requires that the log's advertisements were
// shown at random, but they were not. The figures therefore compare policies, and do not forecast clicks.

struct CriteoSettings {
  std::filesystem::path file;
  std::uint64_t rows = 1'000'000;  // largest number of rows that are read, from the start of the file
  std::size_t arms = 40;
  CriteoUser scales = ones();  // factors of the user's features
  double beta = 0.6;
  double lambda = 1;
  std::size_t participants = 5;
  std::size_t partitions = 5;     // number of partitions for each partial policy
  std::size_t random_states = 5;  // number of runs of random play
  std::uint64_t seed = 1;

  [[nodiscard]] static CriteoUser ones() {
    CriteoUser user;
    user.fill(1);
    return user;
  }
};

// The results of one policy, over its partitions or random states.
struct CriteoPolicy {
  std::string key;   // "vfucb", "linucb", "linucb_80", "linucb_20", "random"
  std::string name;  // name for people
  std::size_t features = 0;
  std::vector<ReplayEstimate> runs;

  // The mean over the runs; a run that kept no event is left out. Returns nothing if all runs are left out.
  [[nodiscard]] std::optional<double> ctr() const;
};

struct CriteoRuns {
  CriteoSettings settings;
  CriteoItems items;
  std::vector<CriteoPolicy> policies;
  // Whether VFUCB, which sees only masked contexts, and central LinUCB pulled the same arm at every event.
  bool arms_equal = true;

  [[nodiscard]] const CriteoPolicy& policy(const std::string& key) const;
  // CTR / CTR_random for each run of the policy `key`; empty if random play got no click.
  [[nodiscard]] std::vector<double> relative_ctr(const std::string& key) const;
};

// Surveys the file in a first pass; in a second pass, each thread plays some of the policies. Throws InputError if the
// file cannot be used.
[[nodiscard]] CriteoRuns run_criteo(const CriteoSettings& settings, const std::atomic<bool>& interrupted);

// `sotto-lab paper o3m`: all experiments of Cao et al. 2022.

struct PaperOptions {
  RegretSettings synthetic;  // played once for each noise; noise_sd is ignored
  bool quick = false;        // true: play fewer sizes for figure 5
  std::optional<CriteoSettings> criteo{};
};

struct PaperRuns {
  PaperOptions options;
  std::vector<RegretRuns> regret;   // one for each reading of the paper's noise N(0, 0.05)
  std::vector<MeasuredCost> costs;  // figure 5, for all K and d of this figure
  std::vector<MeasuredCost> steps;  // table 1: at the synthetic experiment's size
  std::optional<CriteoRuns> criteo;
};

// Throws InputError for invalid settings or files. Also throws Interrupted.
[[nodiscard]] PaperRuns play_o3m_paper(const PaperOptions& options, const Runner& runner);
[[nodiscard]] ReportPage o3m_paper_page(const PaperRuns& runs, const std::vector<FigureTable>& tables);
// The note about figure 6 (c) if no log was given.
extern const char* const no_criteo;
// The results, in the tables "checks", "regret", "table_1", "computation", "communication", and "criteo" if there is a
// log.
[[nodiscard]] Experiment o3m_paper(const PaperRuns& runs);

// The figures that a reproduction must reach: an independent plain-text implementation of the same experiment (double
// precision, other seeds) computed them beforehand. The functions below also check those statements of Cao et al. 2022
// about figure 5 that can be checked.

// Cumulative regret after 5000 steps, d = 100, K = 10.
struct RegretReference {
  double noise_variance = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  PaperPolicy policy = PaperPolicy::central;
  double mean = 0;
  double spread = 0;  // one standard deviation over repeats
};

[[nodiscard]] const std::vector<RegretReference>& regret_references();

// Checks that the mean of our repeats differs from the reference's mean by at most the reference's spread plus two
// standard errors of our mean. Returns no checks if the run's setting differs from the reference's, or if policies are
// missing.
[[nodiscard]] std::vector<Check> check_regret(const RegretRuns& runs);
// Checks that the masked bandit pulls the arms of its central twin, and that scores agree to 1e-9.
[[nodiscard]] std::vector<Check> check_lossless(const RegretRuns& runs);
// Checks the paper's statements about figure 5.
[[nodiscard]] std::vector<Check> check_cost_model();

// The name of a policy: "LinUCB", "VFUCB", "LinUCB, 20% of the features", "uniform play".
[[nodiscard]] std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy);
// The name of a noise: "noise sd 0.05" or "noise variance 0.05".
[[nodiscard]] std::string noise_name(double noise_sd);

}  // namespace sotto::apps::lab
