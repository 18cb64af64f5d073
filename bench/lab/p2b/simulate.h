// One setting of an experiment, played several times: the figures of each agent with their means and 95% bands over the
// repeats.
#pragma once

#include "bench/lab/experiment.h"
#include "bench/lab/p2b/play.h"
#include "bench/lab/p2b/worlds.h"

namespace sotto::apps::lab {

// A variant of P2B, before the variant's encoder exists.
struct VariantKey {
  p2b::ContextKind context = p2b::ContextKind::centroid;
  std::size_t codes = 1024;

  [[nodiscard]] std::string name() const;  // "P2B, one-hot, k = 32"
  [[nodiscard]] std::string key() const;   // "one_hot_32"
  friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

struct PointSettings {
  std::size_t users = 0;
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::size_t steps = 0;  // largest number of steps of a user
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::vector<VariantKey> variants;
  std::size_t parts = 0;  // as in PlaySettings
};

// A mean over the repeats, and the half width of the mean's 95% band by Student's t. The half width is 0 for one
// repeat.
struct Banded {
  double mean = 0;
  double sd = 0;  // standard deviation over the repeats
  double band = 0;
};

[[nodiscard]] Banded banded(const std::vector<double>& values);

// The difference between the rewards of two systems, one difference for each repeat. In a repeat all systems play the
// same users, contexts and rewards, so the quality of the world does not affect the differences.
struct Paired {
  double mean = 0;
  double error = 0;  // standard error of the difference over the repeats; 0 for one repeat
  std::size_t repeats = 0;
};

// `more` and `less` have one number for each repeat.
[[nodiscard]] Paired paired(const std::vector<double>& more, const std::vector<double>& less);
// Formats a difference as "+0.0634 +- 0.0051". If there is only one repeat, the error is left out.
[[nodiscard]] std::string difference_text(const Paired& difference);
[[nodiscard]] std::string error_text(const Paired& difference);

struct SimulatePoint {
  PointSettings settings;
  std::vector<PlayOutcome> repeats;

  // The reward of each kind of agent, one number for each repeat.
  [[nodiscard]] std::vector<double> cold() const;
  [[nodiscard]] std::vector<double> warm() const;
  [[nodiscard]] std::vector<double> variant(std::size_t v) const;
  [[nodiscard]] std::vector<double> best() const;     // empty if the world is a log
  [[nodiscard]] std::vector<double> uniform() const;  // empty if the world is a log
  // The index of the variant, if it was played.
  [[nodiscard]] std::optional<std::size_t> find(const VariantKey& key) const;
  // The shuffler's figures, as means over the repeats.
  [[nodiscard]] VariantOutcome mean_outcome(std::size_t v) const;
};

[[nodiscard]] nlohmann::ordered_json to_json(const SimulatePoint& point);

// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020 and their results. Three kinds of agents play: cold
// agents, warm agents without privacy, and agents of P2B. The worlds are the synthetic world, multi-label data, the
// Criteo log, and users from a file.

// The settings of all experiments.
struct SimulateSettings {
  double early = 0.7;
  double p = 0.5;
  std::size_t threshold = 10;
  double alpha = 1;
  unsigned decimals = 1;
  p2b::EncoderKind encoder = p2b::EncoderKind::kmeans;
  std::uint64_t encoder_seed = 1;
  std::filesystem::path centroids;  // file of an encoder; empty: fit encoders
  std::vector<VariantKey> variants{{p2b::ContextKind::centroid, 1024}};
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // number of threads; 0: one for each core
};

// A curve of figures against one quantity, such as the number of users.
struct SimulateCurve {
  std::string key;      // "users"
  std::string title;    // "Reward by number of users"
  std::string x_label;  // "users"
  bool log_x = false;
  // true: the x values are values of k. The curve has one point, and the x values are the numbers of codes of the
  // point's variants.
  bool against_codes = false;
  std::vector<double> x;  // one x value for each point; if against_codes, for each variant
  std::vector<SimulatePoint> points;
  // true: the x values are steps of a user. The curve has one point, whose parts end at the x values.
  bool along_steps = false;
};

struct SimulateResult {
  std::string experiment;  // "synthetic", "multilabel", "criteo", "users"
  std::string title;       // for people
  std::string about;       // a sentence about the data
  SimulateSettings settings;
  double seconds = 0;
  double seconds_encoders = 0;  // the part of `seconds` spent on fitting encoders
  double epsilon = 0;
  double delta = 0;
  std::string states;                 // number of points of the headline's grid, with all digits
  std::vector<SimulatePoint> points;  // played at the requested sizes; the last point is the headline
  std::vector<SimulateCurve> curves;
  std::vector<Check> checks;                                 // empty: there is no reference
  std::vector<std::pair<std::string, std::uint64_t>> facts;  // numbers about the data: rows, clipped values
  std::vector<std::string> stamps;                           // warnings for the reader: "the published choice of tuple"

  [[nodiscard]] const SimulatePoint& headline() const { return points.back(); }
};

struct SyntheticExperiment {
  SyntheticSettings world;
  std::vector<std::size_t> users;  // one point for each number; empty: the paper's experiment, with its checks
  bool quick = false;              // true: fewer repeats and points of the paper's experiment
};

// In each repeat of the synthetic experiment, another W is drawn. If users are recorded, each repeat divides the users
// again into early and late users. Throws InputError for invalid settings or files. Also throws Interrupted.
[[nodiscard]] SimulateResult simulate(const SyntheticExperiment& experiment, const SimulateSettings& settings,
                                      const Runner& runner);
[[nodiscard]] SimulateResult simulate(const MultiLabelSettings& data, const SimulateSettings& settings,
                                      const Runner& runner);
[[nodiscard]] SimulateResult simulate(const CriteoWorldSettings& data, const SimulateSettings& settings,
                                      const Runner& runner);
// Plays the users of a file.
[[nodiscard]] SimulateResult simulate(const std::filesystem::path& file, const SimulateSettings& settings,
                                      const Runner& runner);

// Checks the settings that come from flags: p, threshold, early share, repeats, variants. Throws InputError.
void check_simulate_settings(const SimulateSettings& settings);

// The results of the experiments. The tables have rewards of the points, differences between systems, the shuffler's
// drops, and the comparison with the reference if there is one. The file run.json begins with figures of the headline:
// reward_cold, reward_warm_nonprivate and reward_p2b (of the last variant), epsilon, delta, tuples_received,
// tuples_kept, tuples_dropped, codes_dropped, users and seconds. All points of the experiment follow in run.json after
// these figures.
[[nodiscard]] Experiment simulated(const SimulateResult& result);

// A chart of the curve. The bands are 95% bands of the mean over the repeats.
[[nodiscard]] LineChart simulate_chart(const SimulateCurve& curve);

// The figures that the synthetic experiment must reach: an independent plain-text implementation (double precision,
// other seeds) computed them beforehand, with the published choice of tuple.
//
// The reference's figures are means over 3 draws of W, and draws differ greatly: the best arm earns .17 +- .05 on
// average. In the reference's draws, the best arm earned .186 and cold agents .056. The check therefore estimates the
// rewards that our agents would earn on draws like the reference's. The check regresses our agents' rewards, over our
// draws, on the rewards of the best arm and of cold agents, and takes the value at (.186, .056). The value of the
// regression passes if it differs from the reference by at most two standard errors. The standard error combines the
// scatter about the regression and the spread of both encoders, the reference's and ours. The scatter enters twice: for
// the reference's 3 draws and for our draws.

// The reference's numbers of users: 70% of these users are 999, 4999 and 9999 early users.
inline constexpr std::array<std::size_t, 3> reference_users{1428, 7142, 14285};
// The settings for the comparison of both choices of tuple: 2100 early users, d = 6, A = 5, T = 6, k = 16.
[[nodiscard]] SyntheticSettings small_reference();

// The smallest number of draws of W for a comparison with the reference.
inline constexpr std::size_t least_draws = 8;

// Checks those of `points` that the reference also has: the points with d = A = T = 10, and the small points.
[[nodiscard]] std::vector<Check> check_reference(std::span<const SimulatePoint> points);
extern const char* const reference_note;

struct Adjusted {
  double value = 0;
  double error = 0;  // one standard error of the difference from a mean of `draws` other draws
};

// Fits a plane to y over (a, b) by least squares, and evaluates the plane at (a0, b0). y, a and b must have at least 4
// numbers each.
[[nodiscard]] Adjusted adjusted_to(std::span<const double> y, std::span<const double> a, std::span<const double> b,
                                   double a0, double b0, std::size_t draws);

}  // namespace sotto::apps::lab
