#include "bench/lab/p2b/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "apps/kit/learn/tasks.h"
#include "apps/kit/program/about.h"
#include "apps/p2b/privacy.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

// Larger grids take longer to table than experiments take to encode.
constexpr std::uint64_t most_tabled = 500'000;

std::shared_ptr<const Encoder> tabled(Encoder encoder) {
  const Grid& grid = encoder.grid();
  if (grid.ranked() && *grid.states().exact <= most_tabled) encoder.prepare_table();
  return std::make_shared<const Encoder>(std::move(encoder));
}

constexpr std::size_t default_codes = 32;
constexpr std::size_t many_users = 50'000;  // played for long enough to say how far

// What a reader must know of settings and data.
std::vector<std::string> stamps_of(const SimulateResult& result) {
  std::vector<std::string> stamps;
  const auto published = [](const SimulatePoint& point) { return point.settings.choice == TupleChoice::published; };
  bool any = std::any_of(result.points.begin(), result.points.end(), published);
  for (const SimulateCurve& curve : result.curves) {
    any = any || std::any_of(curve.points.begin(), curve.points.end(), published);
  }
  if (any) {
    stamps.emplace_back(
        "Figures marked \"published\" choose the reported tuple by its reward, as the authors' code does: only to "
        "reproduce its figures. Such a tuple tells of the user's rewards.");
  }
  for (const auto& [fact, count] : result.facts) {
    if (count > 0 && fact.ends_with("_clipped")) {
      const std::string things = fact.substr(0, fact.find('_'));  // "rewards"
      const bool one = count == 1;
      stamps.push_back(fmt::format("{} {} outside the bounds {} clipped.", count,
                                   one ? things.substr(0, things.size() - 1) : things, one ? "was" : "were"));
    }
  }
  return stamps;
}

}  // namespace

SimulateRunner::SimulateRunner(const SimulateSettings& settings, const SimulateProgress& progress,
                               const std::atomic<bool>& interrupted)
    : settings_(settings), progress_(progress), interrupted_(interrupted) {
  if (!settings.centroids.empty()) fixed_ = tabled(read_encoder(settings.centroids));
}

std::shared_ptr<const Encoder> SimulateRunner::encoder(std::size_t dimension, std::size_t codes) {
  if (fixed_ != nullptr) {
    if (fixed_->dimension() == dimension) return fixed_;
    throw InputError(
        settings_.centroids.string(),
        fmt::format("the centroids have {}, contexts have {}: fit an encoder with 'sotto p2b encoder --dim {}'",
                    counted(fixed_->dimension(), "feature"), dimension, dimension));
  }
  std::shared_ptr<const Encoder>& fitted = fitted_[{dimension, codes}];
  if (fitted == nullptr) {
    fitted = tabled(fit_encoder({dimension, settings_.decimals, codes, settings_.encoder, settings_.encoder_seed}));
  }
  return fitted;
}

std::vector<VariantKey> SimulateRunner::variants(std::size_t dimension) const {
  std::vector<VariantKey> variants;
  for (VariantKey variant : settings_.variants) {
    if (fixed_ != nullptr) {
      variant.codes = fixed_->codes();
    } else if (variant.codes == 0) {
      const double points = states(settings_.decimals, dimension).value;
      variant.codes = default_codes;
      while (static_cast<double>(variant.codes) > points) variant.codes /= 2;
    }
    if (std::find(variants.begin(), variants.end(), variant) == variants.end()) {
      variants.push_back(variant);
    }
  }
  return variants;
}

std::vector<P2bVariant> SimulateRunner::with_encoders(const PointSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<P2bVariant> variants;
  for (const VariantKey& variant : settings.variants) {
    if (interrupted_) throw Interrupted();
    progress_(fmt::format("encoder of {}, {}", counted(variant.codes, "code"), counted(settings.dimension, "feature")));
    variants.push_back({variant.context, encoder(settings.dimension, variant.codes)});
  }
  seconds_encoders_ += seconds_since(start);
  return variants;
}

SimulatePoint SimulateRunner::play(const PointSettings& settings, std::size_t repeats, const WorldOf& world,
                                   bool deal_users, const std::string& name) {
  const std::vector<P2bVariant> variants = with_encoders(settings);
  SimulatePoint point{settings, {}};
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    if (interrupted_) throw Interrupted();
    const std::string doing = repeats > 1 ? fmt::format("{}: repeat {} of {}", name, repeat + 1, repeats) : name;
    progress_(doing);
    PlaySettings play;
    play.early = settings_.early;
    play.p = settings_.p;
    play.threshold = settings_.threshold;
    play.alpha = settings_.alpha;
    play.choice = settings.choice;
    play.shuffle_users = deal_users;
    play.parts = settings.parts;
    play.seed = settings_.seed + repeat;
    play.threads = settings_.threads > 0 ? settings_.threads : core_count();
    std::mutex guard;
    std::size_t shown = 0;  // percent
    const auto done = [&](std::size_t played, std::size_t all) {
      const std::lock_guard lock(guard);
      const std::size_t percent = 100 * played / all;
      if (all < many_users || percent <= shown) return;
      shown = percent;
      progress_(fmt::format("{}: {}% of the users", doing, percent));
    };
    point.repeats.push_back(play_p2b(*world(repeat), variants, play, interrupted_, done));
  }
  return point;
}

void check_simulate_settings(const SimulateSettings& settings) {
  check_probability(settings.p);
  check_threshold(settings.threshold);
  if (!(settings.early > 0 && settings.early < 1)) {
    throw InputError("--early", "the share of early users must be above 0 and below 1");
  }
  if (!(settings.alpha >= 0) || settings.alpha > 1e6) {
    throw InputError("--alpha", "the weight of the confidence width must be from 0 to 1e6");
  }
}

SimulateResult run_experiment(const char* experiment, const char* title, const SimulateSettings& settings,
                              const SimulateProgress& progress, const std::atomic<bool>& interrupted,
                              const std::function<void(SimulateResult&, SimulateRunner&)>& play) {
  const auto start = std::chrono::steady_clock::now();
  check_simulate_settings(settings);
  SimulateResult result;
  result.experiment = experiment;
  result.title = title;
  result.settings = settings;
  SimulateRunner runner(result.settings, progress, interrupted);
  play(result, runner);
  result.epsilon = report_epsilon(settings.p);
  result.delta = report_delta(settings.p, settings.threshold);
  result.states = states(settings.decimals, result.headline().settings.dimension).text;
  result.stamps = stamps_of(result);
  result.seconds_encoders = runner.seconds_encoders();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace sotto::apps::lab
