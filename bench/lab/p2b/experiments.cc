#include <map>
#include <mutex>

#include "apps/kit/learn/tasks.h"
#include "apps/p2b/privacy.h"
#include "bench/lab/p2b/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

// For a larger grid, filling the table takes longer than all encodings of an experiment.
constexpr std::uint64_t most_tabled = 500'000;

std::shared_ptr<const Encoder> tabled(Encoder encoder) {
  const Grid& grid = encoder.grid();
  if (grid.ranked() && *grid.states().exact <= most_tabled) encoder.prepare_table();
  return std::make_shared<const Encoder>(std::move(encoder));
}

constexpr std::size_t default_codes = 32;
constexpr std::size_t many_users = 50'000;

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
      const std::string things = fact.substr(0, fact.find('_'));
      const bool one = count == 1;
      stamps.push_back(fmt::format("{} {} outside the bounds {} clipped.", count,
                                   one ? things.substr(0, things.size() - 1) : things, one ? "was" : "were"));
    }
  }
  return stamps;
}

class SimulateRunner {
 public:
  using WorldOf = std::function<std::shared_ptr<const World>(std::size_t repeat)>;

  SimulateRunner(const char* experiment, const char* title, const SimulateSettings& settings, const Runner& runner)
      : runner_(runner) {
    check_simulate_settings(settings);
    result.experiment = experiment;
    result.title = title;
    result.settings = settings;
    if (!settings.centroids.empty()) fixed_ = tabled(read_encoder(settings.centroids));
  }

  SimulateResult result;

  [[nodiscard]] SimulatePoint play(const PointSettings& settings, std::size_t repeats, const WorldOf& world,
                                   bool deal_users, const std::string& name);
  void play_recorded(const World& world, std::size_t longest, const std::string& label);

  // If there is an encoder file, every variant has as many codes as the encoder in the file. Without a file, a number
  // of codes of 0 is replaced by 32, or by the largest power of two that a smaller grid allows.
  [[nodiscard]] std::vector<VariantKey> variants(std::size_t dimension) const;

  [[nodiscard]] SimulateResult finished() {
    const SimulateSettings& settings = result.settings;
    result.epsilon = report_epsilon(settings.p);
    result.delta = report_delta(settings.p, settings.threshold);
    result.states = states(settings.decimals, result.headline().settings.dimension).text;
    result.stamps = stamps_of(result);
    result.seconds = runner_.seconds();
    return std::move(result);
  }

 private:
  [[nodiscard]] std::vector<P2bVariant> with_encoders(const PointSettings& settings);
  // Throws InputError if the file's encoder has another dimension, and if the grid has fewer points than `codes`.
  [[nodiscard]] std::shared_ptr<const Encoder> encoder(std::size_t dimension, std::size_t codes);

  const Runner& runner_;
  std::shared_ptr<const Encoder> fixed_;
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const Encoder>> fitted_;
};

std::shared_ptr<const Encoder> SimulateRunner::encoder(std::size_t dimension, std::size_t codes) {
  if (fixed_ != nullptr) {
    if (fixed_->dimension() == dimension) return fixed_;
    throw InputError(
        result.settings.centroids.string(),
        fmt::format("the centroids have {}, contexts have {}: fit an encoder with 'sotto p2b encoder --dim {}'",
                    counted(fixed_->dimension(), "feature"), dimension, dimension));
  }
  std::shared_ptr<const Encoder>& fitted = fitted_[{dimension, codes}];
  if (fitted == nullptr) {
    fitted = tabled(fit_encoder(
        {dimension, result.settings.decimals, codes, result.settings.encoder, result.settings.encoder_seed}));
  }
  return fitted;
}

std::vector<VariantKey> SimulateRunner::variants(std::size_t dimension) const {
  std::vector<VariantKey> variants;
  for (VariantKey variant : result.settings.variants) {
    if (fixed_ != nullptr) {
      variant.codes = fixed_->codes();
    } else if (variant.codes == 0) {
      const double points = states(result.settings.decimals, dimension).value;
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
    if (runner_.stop()) throw Interrupted();
    runner_.report(
        fmt::format("encoder of {}, {}", counted(variant.codes, "code"), counted(settings.dimension, "feature")));
    variants.push_back({variant.context, encoder(settings.dimension, variant.codes)});
  }
  result.seconds_encoders += seconds_since(start);
  return variants;
}

SimulatePoint SimulateRunner::play(const PointSettings& settings, std::size_t repeats, const WorldOf& world,
                                   bool deal_users, const std::string& name) {
  const std::vector<P2bVariant> variants = with_encoders(settings);
  SimulatePoint point{settings, {}};
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    if (runner_.stop()) throw Interrupted();
    const std::string doing = repeats > 1 ? fmt::format("{}: repeat {} of {}", name, repeat + 1, repeats) : name;
    runner_.report(doing);
    PlaySettings play;
    play.early = result.settings.early;
    play.p = result.settings.p;
    play.threshold = result.settings.threshold;
    play.alpha = result.settings.alpha;
    play.choice = settings.choice;
    play.shuffle_users = deal_users;
    play.parts = settings.parts;
    play.seed = result.settings.seed + repeat;
    play.threads = result.settings.threads > 0 ? result.settings.threads : core_count();
    std::mutex guard;
    std::size_t shown = 0;
    const auto done = [&](std::size_t played, std::size_t all) {
      const std::lock_guard lock(guard);
      const std::size_t percent = 100 * played / all;
      if (all < many_users || percent <= shown) return;
      shown = percent;
      runner_.report(fmt::format("{}: {}% of the users", doing, percent));
    };
    point.repeats.push_back(play_p2b(*world(repeat), variants, play, runner_.stop(), done));
  }
  return point;
}

std::vector<std::size_t> steps_of_curve(std::size_t most) {
  constexpr std::size_t points = 10;
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i <= points; ++i) {
    const std::size_t at = i == 0 ? std::min<std::size_t>(2, most) : most * i / points;
    if (at > 0 && (steps.empty() || at > steps.back())) steps.push_back(at);
  }
  return steps;
}

void SimulateRunner::play_recorded(const World& world, std::size_t longest, const std::string& label) {
  const SimulateSettings& settings = result.settings;
  const std::size_t early = early_users(world.users(), settings.early);
  if (early == 0 || early == world.users()) {
    throw InputError(
        "--early", fmt::format("of {} users {} would be early: early and late ones are needed", world.users(), early));
  }
  const std::vector<VariantKey> all_variants = variants(world.dimension());
  SimulateCurve curve{"steps", "Reward by number of steps of a user", label, false, false, {}, {}};
  for (const std::size_t steps : steps_of_curve(longest)) {
    auto part = std::make_shared<const PartOfWorld>(world, world.users(), steps);
    const PointSettings point{world.users(), world.dimension(), world.arms(), steps, settings.choice, all_variants};
    curve.x.push_back(static_cast<double>(steps));
    curve.points.push_back(play(
        point, settings.repeats, [&](std::size_t) { return part; }, true,
        fmt::format("users of {}", counted(steps, "step"))));
  }
  result.points.push_back(curve.points.back());
  result.curves.push_back(std::move(curve));
}

constexpr std::size_t most_parts = 40;

constexpr VariantKey one_hot_32{ContextKind::one_hot, 32};
constexpr VariantKey one_hot_1024{ContextKind::one_hot, 1024};
constexpr VariantKey centroid_1024{ContextKind::centroid, 1024};

class Paper {
 public:
  Paper(const SyntheticExperiment& experiment, SimulateRunner& runner)
      : experiment_(experiment), settings_(runner.result.settings), runner_(runner) {}

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

  void add_steps() {
    SimulateResult& result = runner_.result;
    const SimulatePoint& point = result.points.back();
    SimulateCurve curve{"step", "Reward along a user's steps", "steps", false, false, {}, {point}, true};
    const std::size_t parts = point.settings.parts;
    for (std::size_t part = 1; part <= parts; ++part) {
      const std::uint64_t steps = point.settings.steps * part / parts;
      curve.x.push_back(static_cast<double>(steps));
    }
    result.curves.push_back(std::move(curve));
  }

  void play_reference() {
    SimulateResult& result = runner_.result;
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

  void play_curves() {
    SimulateResult& result = runner_.result;
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

SimulateResult simulate(const SyntheticExperiment& experiment, const SimulateSettings& settings, const Runner& runner) {
  SimulateRunner points("synthetic", "P2B on the synthetic world", settings, runner);
  SimulateResult& result = points.result;
  result.about =
      "Contexts uniform on [0, 1]^d and scaled to sum 1, a new one at each step of each user; arm a pays 1 with "
      "probability x.W_a, W drawn again for each repeat.";
  Paper paper(experiment, points);
  if (experiment.users.empty()) {
    if (!settings.centroids.empty()) {
      throw InputError("--centroids", "the paper's experiment fits encoders of its own: say --users too");
    }
    paper.play_reference();
    paper.play_curves();
    result.checks = check_reference(result.points);
    return points.finished();
  }
  for (const std::size_t users : experiment.users) {
    SyntheticSettings world = experiment.world;
    world.users = users;
    if (early_users(users, settings.early) == 0) {
      throw InputError("--users", fmt::format("of {} users none is early: use more", users));
    }
    result.points.push_back(paper.play(world, points.variants(world.dimension), settings.choice, settings.repeats));
  }
  paper.add_steps();
  return points.finished();
}

SimulateResult simulate(const MultiLabelSettings& data, const SimulateSettings& settings, const Runner& runner) {
  SimulateRunner points("multilabel", "P2B on multi-label data", settings, runner);
  points.result.about = fmt::format(
      "Rows of {}: the {} features with the largest chi-square score are the context, the {} most common labels the "
      "arms, and an arm pays 1 where the row has its label.",
      data.file.filename().string(), data.dimension, data.arms);
  runner.report("reading the file");
  const MultiLabelData read = read_multi_label(data, runner.stop());
  points.result.facts = {{"rows", read.rows},
                         {"rows_used", read.world->recorded().steps()},
                         {"features", read.features},
                         {"labels", read.labels},
                         {"features_clipped", read.features_clipped}};
  points.play_recorded(*read.world, data.steps, "steps of a user");
  return points.finished();
}

SimulateResult simulate(const CriteoWorldSettings& data, const SimulateSettings& settings, const Runner& runner) {
  SimulateRunner points("criteo", "P2B on the Criteo log", settings, runner);
  points.result.about =
      data.clicked_only
          ? "Advertisements that were clicked: an arm pays 1 where it is the kind that was clicked, as in "
            "the authors' code."
          : "Advertisements that were shown: evaluated by replay, on the steps at which an agent picks "
            "the kind that was shown; a click pays 1. The log's arms were not drawn at random, so that "
            "figures compare agents and are no forecast of clicks.";
  runner.report("reading the log");
  const CriteoData read = read_criteo_world(data, runner.stop());
  points.result.facts = {{"rows", read.rows},
                         {"rows_of_the_arms", read.kept},
                         {"rows_used", read.steps},
                         {"clicks", read.clicks},
                         {"labels", read.labels}};
  points.play_recorded(*read.world, data.steps, "events of a user");
  return points.finished();
}

SimulateResult simulate(const std::filesystem::path& file, const SimulateSettings& settings, const Runner& runner) {
  SimulateRunner points("users", "P2B on a file of users", settings, runner);
  runner.report("reading the file");
  const UsersFile read = read_users(file);
  const RecordedContexts& recorded = read.world->recorded();
  points.result.about = fmt::format("{}: {}, {}, {}.", file.filename().string(), counted(recorded.users(), "user"),
                                    counted(recorded.dimension, "feature"), counted(recorded.arms, "arm"));
  points.result.facts = {
      {"rows", read.rows}, {"features_clipped", read.features_clipped}, {"rewards_clipped", read.rewards_clipped}};
  points.play_recorded(*read.world, recorded.most_steps(), "steps of a user");
  return points.finished();
}

}  // namespace sotto::apps::lab
