// The experiments on data from files: multi-label sets, the Criteo log, and files of users.
#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/p2b/users_file.h"
#include "sotto/bench/lab/p2b/simulate.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

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

}  // namespace sotto::apps
