// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020, and what they came to. Cold, warm without privacy,
// and P2B, on the synthetic world, multi-label data, the Criteo log, and users of a file.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/line_chart.h"
#include "apps/kit/report/run_header.h"
#include "apps/p2b/encoder.h"
#include "bench/lab/p2b/point.h"
#include "bench/lab/p2b/recorded_worlds.h"
#include "bench/lab/p2b/synthetic_world.h"

namespace sotto::apps::lab {

// What all experiments take.
struct SimulateSettings {
  double early = 0.7;
  double p = 0.5;
  std::size_t threshold = 10;
  double alpha = 1;
  unsigned decimals = 1;
  p2b::EncoderKind encoder = p2b::EncoderKind::kmeans;
  std::uint64_t encoder_seed = 1;
  std::filesystem::path centroids;  // empty: fit an encoder
  std::vector<VariantKey> variants{{p2b::ContextKind::centroid, 1024}};
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: one a core
};

// Figures against one quantity.
struct SimulateCurve {
  std::string key;      // "users"
  std::string title;    // "Reward by number of users"
  std::string x_label;  // "users"
  bool log_x = false;
  // Against k, a variant's codes are x: one point, all of whose variants are played.
  bool against_codes = false;
  std::vector<double> x;  // of each point; of each codes
  std::vector<SimulatePoint> points;
  // Along a user's steps: one point, whose parts end at x.
  bool along_steps = false;
};

struct SimulateResult {
  std::string experiment;  // "synthetic", "multilabel", "criteo", "users"
  std::string title;       // for people
  std::string about;       // a sentence on the data
  SimulateSettings settings;
  Provenance provenance;
  double seconds = 0;
  double seconds_encoders = 0;  // of these: fitting
  double epsilon = 0;
  double delta = 0;
  std::string states;                 // of the headline's grid, all digits
  std::vector<SimulatePoint> points;  // played at the sizes asked for; the last one is the headline
  std::vector<SimulateCurve> curves;
  std::vector<Check> checks;                                 // empty: nothing to compare with
  std::vector<std::pair<std::string, std::uint64_t>> facts;  // on the data: rows, what was clipped
  std::vector<std::string> stamps;                           // what a reader must know: "the published choice of tuple"

  [[nodiscard]] const SimulatePoint& headline() const { return points.back(); }
};

using SimulateProgress = std::function<void(const std::string&)>;

struct SyntheticExperiment {
  SyntheticSettings world;
  std::vector<std::size_t> users;  // a point each; empty: the paper's experiment, and compare
  bool quick = false;              // of the paper's: fewer repeats and points
};

// Each repeat draws another W. Errors: InputError for settings and files, Interrupted.
[[nodiscard]] SimulateResult simulate_synthetic(const SyntheticExperiment& experiment, const SimulateSettings& settings,
                                                const SimulateProgress& progress, const std::atomic<bool>& interrupted);
// Each repeat deals the users anew to early and late ones.
[[nodiscard]] SimulateResult simulate_multi_label(const MultiLabelSettings& data, const SimulateSettings& settings,
                                                  const SimulateProgress& progress,
                                                  const std::atomic<bool>& interrupted);
[[nodiscard]] SimulateResult simulate_criteo(const CriteoWorldSettings& data, const SimulateSettings& settings,
                                             const SimulateProgress& progress, const std::atomic<bool>& interrupted);
[[nodiscard]] SimulateResult simulate_users(const std::filesystem::path& file, const SimulateSettings& settings,
                                            const SimulateProgress& progress, const std::atomic<bool>& interrupted);

// For flags: p, threshold, early share, repeats, variants. InputError.
void check_simulate_settings(const SimulateSettings& settings);

// Rewards of the points, what the shuffler dropped, and the comparison with the reference where there is one.
[[nodiscard]] std::vector<FigureTable> simulate_tables(const SimulateResult& result);

// Of the curves, in their order; bands are 95% ones of the mean over the repeats.
[[nodiscard]] LineChart simulate_chart(const SimulateCurve& curve);

// run.json: reward_cold, reward_warm_nonprivate and reward_p2b of the headline (its last variant), epsilon, delta,
// tuples_received, tuples_kept, tuples_dropped, codes_dropped, users, seconds; then all points.
[[nodiscard]] nlohmann::ordered_json to_json(const SimulateResult& result);
[[nodiscard]] std::string summary_text(const SimulateResult& result, const TextOptions& options = {});
[[nodiscard]] std::string report_html(const SimulateResult& result);

// The figures that the synthetic experiment must come to: computed beforehand by an independent plain-text
// implementation (double precision, other seeds), with the published choice of tuple.
//
// Its figures are means over 3 draws of W, and draws differ much: the best arm earns .17 +- .05 on average. The
// reference's draws were of a best arm of .186 and cold agents of .056. So the check asks what our agents earn on such
// draws: it regresses their rewards, over our draws, on the reward of the best arm and of cold agents, and takes the
// value at (.186, .056). It is within where it is off by at most two standard errors: those of the residual, for 3
// draws of the reference and for ours, and of the two encoders.

// Users of which 70% are 999, 4999 and 9999 early ones.
inline constexpr std::array<std::size_t, 3> reference_users{1428, 7142, 14285};
// The comparison of both choices of tuple: 2100 early users, d = 6, A = 5, T = 6, k = 16.
[[nodiscard]] SyntheticSettings small_reference();

// Fewer draws than this are not compared.
inline constexpr std::size_t least_draws = 8;

// The points among `points` that the reference has: d = A = T = 10 and the small ones.
[[nodiscard]] std::vector<Check> check_reference(std::span<const SimulatePoint> points);
extern const char* const reference_note;

struct Adjusted {
  double value = 0;
  double error = 0;  // one standard error of the difference from a mean of `draws` draws elsewhere
};

// The least-squares plane of y over (a, b), at (a0, b0). At least 4 numbers of each.
[[nodiscard]] Adjusted adjusted_to(std::span<const double> y, std::span<const double> a, std::span<const double> b,
                                   double a0, double b0, std::size_t draws);

// Plays the points of an experiment: makes the encoders that they need, and repeats each.
class SimulateRunner {
 public:
  using WorldOf = std::function<std::shared_ptr<const p2b::World>(std::size_t repeat)>;

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
  // file, the encoder that it has; InputError where it is of another dimension, and where the grid has fewer points
  // than `codes`.
  [[nodiscard]] std::shared_ptr<const p2b::Encoder> encoder(std::size_t dimension, std::size_t codes);

  const SimulateSettings& settings_;
  const SimulateProgress& progress_;
  const std::atomic<bool>& interrupted_;
  std::shared_ptr<const p2b::Encoder> fixed_;  // from the settings' file
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const p2b::Encoder>> fitted_;
  double seconds_encoders_ = 0;
};

// Checks the settings, lets `play` fill the result, and adds what all experiments have in common, from the headline and
// the settings.
[[nodiscard]] SimulateResult run_experiment(const char* experiment, const char* title, const SimulateSettings& settings,
                                            const SimulateProgress& progress, const std::atomic<bool>& interrupted,
                                            const std::function<void(SimulateResult&, SimulateRunner&)>& play);

}  // namespace sotto::apps::lab
