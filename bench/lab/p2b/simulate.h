// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020, and what they came to. Cold, warm without privacy,
// and P2B, on the synthetic world, multi-label data, the Criteo log, and users of a file.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/p2b/encoder.h"
#include "sotto/bench/lab/p2b/criteo_world.h"
#include "sotto/bench/lab/p2b/multi_label_world.h"
#include "sotto/bench/lab/p2b/point.h"
#include "sotto/bench/lab/p2b/synthetic_world.h"

namespace sotto::apps {

// What all experiments take.
struct SimulateSettings {
  double early = 0.7;
  double p = 0.5;
  std::size_t threshold = 10;
  double alpha = 1;
  unsigned decimals = 1;
  EncoderKind encoder = EncoderKind::kmeans;
  std::uint64_t encoder_seed = 1;
  std::filesystem::path centroids;  // empty: fit an encoder
  std::vector<VariantKey> variants{{ContextKind::centroid, 1024}};
  TupleChoice choice = TupleChoice::uniform;
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

}  // namespace sotto::apps
