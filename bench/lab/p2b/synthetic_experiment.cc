#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/kit/report/human.h"
#include "sotto/bench/lab/p2b/simulate.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
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

}  // namespace sotto::apps
