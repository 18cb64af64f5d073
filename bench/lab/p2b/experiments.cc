#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/report/human.h"
#include "apps/p2b/world.h"
#include "bench/lab/p2b/simulate.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

constexpr std::size_t most_parts = 40;  // of a user's steps, as points of a curve

constexpr VariantKey one_hot_32{ContextKind::one_hot, 32};
constexpr VariantKey one_hot_1024{ContextKind::one_hot, 1024};
constexpr VariantKey centroid_1024{ContextKind::centroid, 1024};

class Paper {
 public:
  Paper(const SyntheticExperiment& experiment, const SimulateSettings& settings, SimulateRunner& runner)
      : experiment_(experiment), settings_(settings), runner_(runner) {}

  [[nodiscard]] SimulatePoint play(SyntheticSettings world, std::vector<VariantKey> variants, TupleChoice choice,
                                   std::size_t repeats) {
    const PointSettings point{world.users,
                              world.dimension,
                              world.arms,
                              world.steps,
                              choice,
                              std::move(variants),
                              experiment_.users.empty() ? 0 : std::min(world.steps, most_parts)};
    const auto world_of = [&](std::size_t repeat) {
      return std::make_shared<const SyntheticWorld>(world, settings_.seed + repeat);
    };
    return runner_.play(
        point, repeats, world_of, false,
        fmt::format("{}, {}, {}, {} choice", human_count(world.users, "user"), counted(world.dimension, "feature"),
                    counted(world.arms, "arm"), tuple_choice_name(choice)));
  }

  // What late users earn as they go along, of the last point.
  void add_steps(SimulateResult& result) {
    const SimulatePoint& point = result.points.back();
    SimulateCurve curve{"step", "Reward along a user's steps", "steps", false, false, {}, {point}, true};
    const std::size_t parts = point.settings.parts;
    for (std::size_t part = 1; part <= parts; ++part) {
      const std::uint64_t steps = point.settings.steps * part / parts;
      curve.x.push_back(static_cast<double>(steps));
    }
    result.curves.push_back(std::move(curve));
  }

  // The points of the reference, with both choices of tuple.
  void play_reference(SimulateResult& result) {
    for (const TupleChoice choice : {TupleChoice::uniform, TupleChoice::published}) {
      result.points.push_back(play(small_reference(), {{ContextKind::one_hot, 16}}, choice, settings_.repeats));
    }
    for (const TupleChoice choice : {TupleChoice::uniform, TupleChoice::published}) {
      for (const std::size_t users : reference_users) {
        SyntheticSettings world;
        world.users = users;
        result.points.push_back(play(world, {one_hot_32, one_hot_1024, centroid_1024}, choice, settings_.repeats));
      }
    }
  }

  void play_curves(SimulateResult& result) {
    const bool quick = experiment_.quick;
    result.curves.push_back(against("users", "Reward by number of users", "users", {one_hot_32, centroid_1024},
                                    quick ? Sizes{1428, 7142, 14285} : Sizes{1428, 3571, 7142, 14285, 35714, 71428},
                                    [](SyntheticSettings& world, std::size_t users) { world.users = users; }));
    result.curves.back().log_x = true;
    result.curves.push_back(against("dimension", "Reward by number of features", "features d", {centroid_1024},
                                    quick ? Sizes{6, 10} : Sizes{6, 8, 10, 15, 20},
                                    [](SyntheticSettings& world, std::size_t d) { world.dimension = d; }));
    result.curves.push_back(against("arms", "Reward by number of arms", "arms", {one_hot_32, centroid_1024},
                                    quick ? Sizes{5, 20} : Sizes{2, 5, 10, 20, 50},
                                    [](SyntheticSettings& world, std::size_t arms) { world.arms = arms; }));
    result.curves.push_back(against_codes());
  }

 private:
  using Sizes = std::vector<std::size_t>;

  // Of the curves, where the curve is not about them.
  static SyntheticSettings curve_world() {
    SyntheticSettings world;
    world.users = reference_users.back();
    return world;
  }

  [[nodiscard]] std::size_t curve_repeats() const {
    return std::min<std::size_t>(settings_.repeats, experiment_.quick ? 4 : 8);
  }

  template <class Set>
  SimulateCurve against(const char* key, const char* title, const char* label, const std::vector<VariantKey>& variants,
                        const Sizes& sizes, Set set) {
    SimulateCurve curve{key, title, label, false, false, {}, {}};
    for (const std::size_t size : sizes) {
      SyntheticSettings world = curve_world();
      set(world, size);
      curve.x.push_back(static_cast<double>(size));
      curve.points.push_back(play(world, variants, settings_.choice, curve_repeats()));
    }
    return curve;
  }

  SimulateCurve against_codes() {
    SimulateCurve curve{"codes", "Reward by number of codes", "codes k", true, true, {}, {}};
    const Sizes sizes = experiment_.quick ? Sizes{32, 1024} : Sizes{8, 16, 32, 64, 128, 256, 512, 1024};
    std::vector<VariantKey> variants;
    for (const std::size_t codes : sizes) {
      curve.x.push_back(static_cast<double>(codes));
      variants.push_back({ContextKind::one_hot, codes});
      variants.push_back({ContextKind::centroid, codes});
    }
    curve.points.push_back(play(curve_world(), variants, settings_.choice, curve_repeats()));
    return curve;
  }

  const SyntheticExperiment& experiment_;
  const SimulateSettings& settings_;
  SimulateRunner& runner_;
};

// Numbers of steps to stop users after: 2 and up to ten more, the last being all.
std::vector<std::size_t> steps_of_curve(std::size_t most) {
  constexpr std::size_t points = 10;
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i <= points; ++i) {
    const std::size_t at = i == 0 ? std::min<std::size_t>(2, most) : most * i / points;
    if (at > 0 && (steps.empty() || at > steps.back())) steps.push_back(at);
  }
  return steps;
}

void play_recorded(SimulateResult& result, const World& world, std::size_t most_steps, SimulateRunner& runner,
                   const std::string& label) {
  const SimulateSettings& settings = result.settings;
  const std::size_t early = early_users(world.users(), settings.early);
  if (early == 0 || early == world.users()) {
    throw InputError(
        "--early", fmt::format("of {} users {} would be early: early and late ones are needed", world.users(), early));
  }
  const std::vector<VariantKey> variants = runner.variants(world.dimension());
  SimulateCurve curve{"steps", "Reward by number of steps of a user", label, false, false, {}, {}};
  for (const std::size_t steps : steps_of_curve(most_steps)) {
    auto part = std::make_shared<const PartOfWorld>(world, world.users(), steps);
    const PointSettings point{world.users(), world.dimension(), world.arms(), steps, settings.choice, variants};
    curve.x.push_back(static_cast<double>(steps));
    curve.points.push_back(runner.play(
        point, settings.repeats, [&](std::size_t) { return part; }, true,
        fmt::format("users of {}", counted(steps, "step"))));
  }
  result.points.push_back(curve.points.back());
  result.curves.push_back(std::move(curve));
}

}  // namespace

SimulateResult simulate_synthetic(const SyntheticExperiment& experiment, const SimulateSettings& settings,
                                  const SimulateProgress& progress, const std::atomic<bool>& interrupted) {
  const auto play = [&](SimulateResult& result, SimulateRunner& runner) {
    result.about =
        "Contexts uniform on [0, 1]^d and scaled to sum 1, a new one at each step of each user; arm a pays 1 with "
        "probability x.W_a, W drawn anew for each repeat.";
    Paper paper(experiment, result.settings, runner);
    if (experiment.users.empty()) {
      if (!settings.centroids.empty()) {
        throw InputError("--centroids", "the paper's experiment fits encoders of its own: say --users too");
      }
      paper.play_reference(result);
      paper.play_curves(result);
      result.checks = check_reference(result.points);
      return;
    }
    for (const std::size_t users : experiment.users) {
      SyntheticSettings world = experiment.world;
      world.users = users;
      if (early_users(users, settings.early) == 0) {
        throw InputError("--users", fmt::format("of {} users none is early: use more", users));
      }
      result.points.push_back(paper.play(world, runner.variants(world.dimension), settings.choice, settings.repeats));
    }
    paper.add_steps(result);
  };
  return run_experiment("synthetic", "P2B on the synthetic world", settings, progress, interrupted, play);
}

SimulateResult simulate_multi_label(const MultiLabelSettings& data, const SimulateSettings& settings,
                                    const SimulateProgress& progress, const std::atomic<bool>& interrupted) {
  const auto play = [&](SimulateResult& result, SimulateRunner& runner) {
    result.about = fmt::format(
        "Rows of {}: the {} features with the largest chi-square score are the context, the {} most common labels the "
        "arms, and an arm pays 1 where the row has its label.",
        data.file.filename().string(), data.dimension, data.arms);
    progress("reading the file");
    const MultiLabelData read = read_multi_label(data, interrupted);
    result.facts = {{"rows", read.rows},
                    {"rows_used", read.world->recorded().steps()},
                    {"features", read.features},
                    {"labels", read.labels},
                    {"features_clipped", read.features_clipped}};
    play_recorded(result, *read.world, data.steps, runner, "steps of a user");
  };
  return run_experiment("multilabel", "P2B on multi-label data", settings, progress, interrupted, play);
}

SimulateResult simulate_criteo(const CriteoWorldSettings& data, const SimulateSettings& settings,
                               const SimulateProgress& progress, const std::atomic<bool>& interrupted) {
  const auto play = [&](SimulateResult& result, SimulateRunner& runner) {
    result.about = data.clicked_only ? "Advertisements that were clicked: an arm pays 1 where it is the kind that was "
                                       "clicked, as in the authors' code."
                                     : "Advertisements that were shown: evaluated by replay, on the steps at which an "
                                       "agent picks the kind that was shown; a click pays 1. The log's arms were not "
                                       "drawn at random, so that figures compare agents and are no forecast of clicks.";
    progress("reading the log");
    const CriteoData read = read_criteo_world(data, interrupted);
    result.facts = {{"rows", read.rows},
                    {"rows_of_the_arms", read.kept},
                    {"rows_used", read.steps},
                    {"clicks", read.clicks},
                    {"labels", read.labels}};
    play_recorded(result, *read.world, data.steps, runner, "events of a user");
  };
  return run_experiment("criteo", "P2B on the Criteo log", settings, progress, interrupted, play);
}

SimulateResult simulate_users(const std::filesystem::path& file, const SimulateSettings& settings,
                              const SimulateProgress& progress, const std::atomic<bool>& interrupted) {
  const auto play = [&](SimulateResult& result, SimulateRunner& runner) {
    progress("reading the file");
    const UsersFile read = read_users(file);
    const RecordedContexts& recorded = read.world->recorded();
    result.about = fmt::format("{}: {}, {}, {}.", file.filename().string(), counted(recorded.users(), "user"),
                               counted(recorded.dimension, "feature"), counted(recorded.arms, "arm"));
    result.facts = {
        {"rows", read.rows}, {"features_clipped", read.features_clipped}, {"rewards_clipped", read.rewards_clipped}};
    play_recorded(result, *read.world, recorded.most_steps(), runner, "steps of a user");
  };
  return run_experiment("users", "P2B on a file of users", settings, progress, interrupted, play);
}

}  // namespace sotto::apps::lab
