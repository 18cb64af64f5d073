#include "bench/lab/hannun_paper/world.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/data/raw_data.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

namespace fs = std::filesystem;

// A dash or a dot joins the name and the kind, as in t10k-images-idx3-ubyte.
std::optional<fs::path> idx_file(const fs::path& folder, std::string_view name, std::string_view kind) {
  for (const char separator : {'-', '.'}) {
    fs::path path = folder / fmt::format("{}{}{}", name, separator, kind);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

RowSource rows_of(const std::shared_ptr<const IdxImages>& images) {
  const std::size_t pixels = images->height * images->width;
  return {images->count, pixels, [images, pixels](std::size_t r, std::span<double> out) {
            constexpr double white = 255;
            for (std::size_t i = 0; i < pixels; ++i) out[i] = images->pixels[r * pixels + i] / white;
          }};
}

LabelledData held_out_images(const fs::path& folder, const Pca& pca) {
  const auto images_file = idx_file(folder, "t10k-images", "idx3-ubyte");
  const auto labels_file = idx_file(folder, "t10k-labels", "idx1-ubyte");
  if (!images_file || !labels_file) return {};
  const auto images = std::make_shared<const IdxImages>(read_idx_images(*images_file));
  const std::vector<std::uint8_t> labels = read_idx_labels(*labels_file);
  if (images->height * images->width != pca.columns || labels.size() != images->count) return {};
  return reduced(pca, rows_of(images), {labels.begin(), labels.end()});
}

constexpr int digits_written = 10;  // enough to keep a unit row's norm within the allowed bound

void write_party(const std::filesystem::path& file, const LabelledData& images, std::span<const std::size_t> rows,
                 std::size_t first, std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) names.push_back(fmt::format("pc_{}", first + c));
  std::vector<double> values;
  values.reserve(rows.size() * columns);
  for (const std::size_t row : rows) {
    const auto part = images.context(row).subspan(first, columns);
    values.insert(values.end(), part.begin(), part.end());
  }
  write_csv(file, names, values, digits_written);
}

void write_environment(const std::filesystem::path& file, const HannunWorld& world, std::span<const std::size_t> rows,
                       std::uint64_t seed) {
  std::vector<std::string> names;
  std::vector<double> values;
  if (world.has_classes()) {
    names = {"label"};
    for (const std::size_t row : rows) values.push_back(world.images().labels[row]);
  } else {
    for (std::size_t a = 0; a < world.arms(); ++a) names.push_back(fmt::format("reward_{}", a));
    for (const std::size_t row : rows) {
      const auto chances = world.probabilities().subspan(row * world.arms(), world.arms());
      values.insert(values.end(), chances.begin(), chances.end());
    }
    values = draw_rewards(values, ~seed);
  }
  write_csv(file, names, values);
}

BanditOptions write_run(const std::filesystem::path& folder, const HannunWorld& world,
                        std::span<const std::size_t> rows, std::uint64_t seed, const HannunPrivateSettings& settings) {
  BanditOptions options;
  options.plain_plays = {};
  options.compare_parts = false;
  std::size_t first = 0;
  for (const std::size_t columns : even_columns(settings.parties, hannun_features)) {
    options.parties.push_back(folder / fmt::format("party_{}.csv", options.parties.size()));
    write_party(options.parties.back(), world.images(), rows, first, columns);
    first += columns;
  }
  options.environment = folder / "environment.csv";
  write_environment(options.environment, world, rows, seed);
  options.run.arms = settings.arms > 0 ? settings.arms : world.arms();
  options.run.epsilon = settings.epsilon;
  options.run.bits = settings.bits;
  options.run.max_norm = 1;
  options.run.deal_ahead = settings.deal_ahead;
  options.run.reveal_model = settings.reveal_model;
  options.run.insecure_plaintext = true;
  options.run.insecure_seed = seed;
  return options;
}

}  // namespace

HannunData load_hannun_data(const std::optional<fs::path>& mnist) {
  HannunData data;
  data.is_mnist = mnist.has_value();
  data.name = data.is_mnist ? "MNIST" : "digits";
  const RawData raw = mnist ? read_raw_mnist(*mnist) : read_raw_csv(shipped_digits(), "label");
  const Pca pca = fit_pca(raw.features, hannun_features);
  data.played = reduced(pca, raw.features, raw.labels);
  if (mnist) data.held_out = held_out_images(*mnist, pca);
  return data;
}

bool holds_mnist(const fs::path& folder) { return idx_file(folder, "train-images", "idx3-ubyte").has_value(); }

HannunWorld::HannunWorld(const LabelledData& images) : images_(&images) {}

HannunWorld::HannunWorld(const LabelledData& images, std::size_t arms, std::uint64_t seed)
    : images_(&images), arms_(arms) {
  const KMeans centres = fit_kmeans(images.contexts, hannun_features, arms, seed);
  probabilities_ = reward_probabilities(centres, images.contexts);
  best_ = 0;
  const auto rows = static_cast<double>(images.rows);
  for (std::size_t row = 0; row < images.rows; ++row) {
    const auto of_row = std::span(probabilities_).subspan(row * arms, arms);
    best_ += *std::max_element(of_row.begin(), of_row.end()) / rows;
  }
  uniform_ =
      std::accumulate(probabilities_.begin(), probabilities_.end(), 0.0) / static_cast<double>(probabilities_.size());
}

std::vector<std::size_t> hannun_order(std::size_t rows, std::uint64_t seed) {
  return SeededDraws(seed).permutation(rows);
}

std::vector<double> play_hannun_twin(const HannunWorld& world, double epsilon, std::uint64_t seed,
                                     std::span<const std::uint64_t> marks) {
  constexpr std::uint64_t coins = 0x9e3779b97f4a7c15;
  PlaintextBandit bandit(world.arms(), hannun_features, epsilon, seed ^ coins);
  const std::vector<std::size_t> order = hannun_order(world.images().rows, seed);
  return play_order(bandit, world, order, seed, marks, [](std::size_t, const PlaintextBandit&) {});
}

double HannunPrivateRun::average_after(std::uint64_t steps) const {
  CurvePoint before;
  for (const CurvePoint& point : curve) {
    if (point.step < steps) {
      before = point;
      continue;
    }
    const auto sum = [](const CurvePoint& p) { return p.average_reward * static_cast<double>(p.step); };
    const double part = static_cast<double>(steps - before.step) / static_cast<double>(point.step - before.step);
    return (sum(before) + part * (sum(point) - sum(before))) / static_cast<double>(steps);
  }
  return before.average_reward;
}

HannunPrivateRun run_hannun_private(const HannunWorld& world, std::span<const std::size_t> order, std::uint64_t seed,
                                    const HannunPrivateSettings& settings, const std::atomic<bool>& interrupted) {
  HannunPrivateRun played;
  played.settings = settings;
  const PrivateFolder folder;
  const BanditOptions options = write_run(folder.path(), world, order.first(settings.steps), seed, settings);
  const LocalInputs inputs = read_local_inputs(options);
  LocalRun local;
  local.run = local_run_config(options, inputs, 0);
  local.data = options.parties;
  local.environment = options.environment;
  try {
    (void)local_plan(local.run, inputs);
  } catch (const InputError& error) {
    played.refused = error.what();
    return played;
  }
  const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
  const BanditResult result = assemble_result(options, inputs, local.run, outcome.reports, outcome.loop_seconds);
  played.curve = result.reward_curve;
  const double seconds = settings.deal_ahead ? result.online_seconds.value_or(0) : outcome.loop_seconds;
  played.step_us = 1e6 * seconds / static_cast<double>(settings.steps);
  played.rounds = result.rounds_per_step.value_or(0);
  if (result.weights) {
    for (const std::vector<double>& of_arm : *result.weights) {
      played.weights.insert(played.weights.end(), of_arm.begin(), of_arm.end());
    }
  }
  return played;
}

}  // namespace sotto::apps::lab
