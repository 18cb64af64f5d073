// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020 with cold agents, warm agents without privacy, and
// agents of P2B.
#pragma once

#include "bench/lab/experiment.h"
#include "bench/lab/p2b/play.h"
#include "bench/lab/p2b/worlds.h"

namespace sotto::apps::lab {

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
  std::size_t steps = 0;  // of a user
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::vector<VariantKey> variants;
  std::size_t parts = 0;  // number of equal parts of a user's steps
};

// A mean over the repeats with the half width of its 95% band (Student's t), which is 0 for one repeat.
struct Banded {
  double mean = 0;
  double sd = 0;  // over the repeats
  double band = 0;
};

[[nodiscard]] Banded banded(const std::vector<double>& values);

// A difference of rewards between two systems. In a repeat all systems play the same users, contexts and rewards.
struct Paired {
  double mean = 0;
  double error = 0;  // standard error over the repeats; 0 for one repeat
  std::size_t repeats = 0;
};

[[nodiscard]] Paired paired(const std::vector<double>& more, const std::vector<double>& less);
[[nodiscard]] std::string difference_text(const Paired& difference);
[[nodiscard]] std::string error_text(const Paired& difference);

struct SimulatePoint {
  PointSettings settings;
  std::vector<PlayOutcome> repeats;

  [[nodiscard]] std::vector<double> cold() const;
  [[nodiscard]] std::vector<double> warm() const;
  [[nodiscard]] std::vector<double> variant(std::size_t v) const;
  [[nodiscard]] std::vector<double> best() const;     // empty if the world is a log
  [[nodiscard]] std::vector<double> uniform() const;  // empty if the world is a log
  [[nodiscard]] std::optional<std::size_t> find(const VariantKey& key) const;
  [[nodiscard]] VariantOutcome mean_outcome(std::size_t v) const;
};

[[nodiscard]] nlohmann::ordered_json to_json(const SimulatePoint& point);

struct SimulateSettings {
  double early = 0.7;
  double p = 0.5;
  std::size_t threshold = 10;
  double alpha = 1;
  unsigned decimals = 1;
  p2b::EncoderKind encoder = p2b::EncoderKind::kmeans;
  std::uint64_t encoder_seed = 1;
  std::filesystem::path centroids;  // empty: fit encoders
  std::vector<VariantKey> variants{{p2b::ContextKind::centroid, 1024}};
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: one for each core
};

struct SimulateCurve {
  std::string key;  // "users"
  std::string title;
  std::string x_label;  // "users"
  bool log_x = false;
  // If true, there is only one point, and the x values are the numbers of codes of its variants.
  bool against_codes = false;
  std::vector<double> x;
  std::vector<SimulatePoint> points;
  // If true, there is only one point, and the x values are steps of a user.
  bool along_steps = false;
};

struct SimulateResult {
  std::string experiment;  // "synthetic", "multilabel", "criteo", "users"
  std::string title;       // for people
  std::string about;
  SimulateSettings settings;
  double seconds = 0;
  double seconds_encoders = 0;  // the part of `seconds` spent on fitting encoders
  double epsilon = 0;
  double delta = 0;
  std::string states;
  std::vector<SimulatePoint> points;  // the last point is the headline
  std::vector<SimulateCurve> curves;
  std::vector<Check> checks;  // empty: there is no reference
  std::vector<std::pair<std::string, std::uint64_t>> facts;
  std::vector<std::string> stamps;  // warnings for the reader: "the published choice of tuple"

  [[nodiscard]] const SimulatePoint& headline() const { return points.back(); }
};

struct SyntheticExperiment {
  SyntheticSettings world;
  std::vector<std::size_t> users;  // empty: the paper's experiment, with its checks
  bool quick = false;
};

// Each repeat of the synthetic experiment draws another weight matrix W (worlds.h). With recorded users, each repeat
// divides the users again into early and late.
[[nodiscard]] SimulateResult simulate(const SyntheticExperiment& experiment, const SimulateSettings& settings,
                                      const Runner& runner);
[[nodiscard]] SimulateResult simulate(const MultiLabelSettings& data, const SimulateSettings& settings,
                                      const Runner& runner);
[[nodiscard]] SimulateResult simulate(const CriteoWorldSettings& data, const SimulateSettings& settings,
                                      const Runner& runner);
[[nodiscard]] SimulateResult simulate(const std::filesystem::path& file, const SimulateSettings& settings,
                                      const Runner& runner);

// Throws InputError.
void check_simulate_settings(const SimulateSettings& settings);

[[nodiscard]] Experiment simulated(const SimulateResult& result);

[[nodiscard]] LineChart simulate_chart(const SimulateCurve& curve);

// The figures that the synthetic experiment must reach, computed beforehand by an independent plain-text implementation
// (double precision, other seeds, published choice of tuple).
//
// The reference's figures are means over 3 draws of W, and draws differ greatly: the best arm earns .17 +- .05 on
// average. In the reference's draws, the best arm earned .186 and cold agents .056. The check regresses our rewards,
// over our draws, on the rewards of the best arm and of cold agents, and evaluates the regression at (.186, .056). The
// value of the regression may differ from the reference by at most two standard errors. The standard error combines the
// scatter about the regression and the spread of both encoders, the reference's and ours. The scatter enters twice: for
// the reference's 3 draws and for our draws.

// The reference's numbers of users: 70% of these users are 999, 4999 and 9999 early users.
inline constexpr std::array<std::size_t, 3> reference_users{1428, 7142, 14285};
[[nodiscard]] SyntheticSettings small_reference();

inline constexpr std::size_t least_draws = 8;

[[nodiscard]] std::vector<Check> check_reference(std::span<const SimulatePoint> points);
extern const char* const reference_note;

struct Adjusted {
  double value = 0;
  double error = 0;  // one standard error of (this mean - the mean of `draws` other draws)
};

// Fits a plane to y over (a, b) by least squares, and evaluates the plane at (a0, b0). y, a and b must have at least 4
// numbers each.
[[nodiscard]] Adjusted adjusted_to(std::span<const double> y, std::span<const double> a, std::span<const double> b,
                                   double a0, double b0, std::size_t draws);

}  // namespace sotto::apps::lab
