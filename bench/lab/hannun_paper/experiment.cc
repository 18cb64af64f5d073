#include "bench/lab/hannun_paper/hannun.h"

namespace sotto::apps::lab {
namespace {

constexpr double hannun_usual_epsilon = .1;  // of figures 3, 4, 7 and 8

constexpr std::size_t most_slow_seeds = 3;  // for figures 5, 7 and 8
constexpr unsigned most_private_bits = 24;
constexpr unsigned usual_bits = 20;

std::vector<double> epsilons() { return {0, .001, .01, .03, .1, .3, .5, 1}; }

std::vector<std::uint64_t> curve_marks(std::size_t rows, bool is_mnist) {
  std::vector<std::uint64_t> marks =
      is_mnist ? std::vector<std::uint64_t>{1000, 5000, 10'000, 20'000} : std::vector<std::uint64_t>{500, 1000};
  std::erase_if(marks, [rows](std::uint64_t mark) { return mark > rows; });
  constexpr double points = 40;
  for (double i = 1; i <= points; ++i) {
    marks.push_back(static_cast<std::uint64_t>(static_cast<double>(rows) * std::pow(.01, 1 - i / points)));
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

std::vector<std::uint64_t> attack_marks_of(std::size_t longest) {
  std::vector<std::uint64_t> marks{200, 500, 1000, 2000, 5000, 10'000, 20'000, 60'000};
  if (longest > 10'000) marks.erase(marks.begin());
  std::erase_if(marks, [longest](std::uint64_t mark) { return mark >= longest; });
  marks.push_back(longest);
  return marks;
}

class HannunPlan {
 public:
  HannunPlan(const HannunData& data, HannunPaperRuns& runs, const Runner& runner)
      : data_(data),
        runs_(runs),
        runner_(runner),
        classes_(data.played),
        order_(hannun_order(data.played.rows, runs.options.first_seed)) {}

  void play() {
    make_worlds();
    add_rewards();
    add_arms();
    add_attacks();
    add_fixed_point();
    run_pieces("run");
    if (!runs_.options.private_runs) return;
    play_private_rewards();
    play_private_arms();
    play_private_attacks();
    play_private_bits();
  }

  void measure() {
    const HannunPaperOptions& options = runs_.options;
    if (options.private_runs && (options.wants("3") || options.wants("4"))) {
      runs_.step_times = measure_hannun_steps(classes_, options.quick, runner_);
    }
    if (!options.wants("table1")) return;
    runner_.report("operations of table 1");
    runs_.operations = measure_hannun_operations(runner_.stop());
    runs_.published_rounds = published_reciprocal_rounds();
  }

 private:
  [[nodiscard]] std::uint64_t seed(std::size_t i) const { return runs_.options.first_seed + i; }
  [[nodiscard]] std::size_t slow_seeds() const { return std::min(runs_.options.seeds, most_slow_seeds); }
  [[nodiscard]] bool quick() const { return runs_.options.quick; }
  [[nodiscard]] std::uint64_t rows() const { return data_.played.rows; }

  void run_pieces(const char* what) { runner_.play(std::exchange(pieces_, {}), what); }

  void make_worlds() {
    if (!runs_.options.wants("5")) return;
    std::vector<std::size_t> sizes{80, 40, 20, 10, 5};
    std::erase_if(sizes, [&](std::size_t arms) { return arms > 20 && (quick() || !data_.is_mnist); });
    worlds_.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      pieces_.push_back({[this, i, arms = sizes[i]] {
        worlds_[i] = std::make_unique<HannunWorld>(data_.played, arms, runs_.options.first_seed);
      }});
    }
    run_pieces("k-means clustering");
    std::reverse(worlds_.begin(), worlds_.end());
  }

  void add_rewards_of(HannunRewards& rewards, const HannunWorld& world, const std::vector<std::uint64_t>& marks) {
    for (std::size_t i = 0; i < rewards.runs.size(); ++i) {
      pieces_.push_back({[&rewards, &world, &marks, i, first = seed(i)] {
        rewards.runs[i] = play_hannun_twin(world, rewards.epsilon, first, marks);
      }});
    }
  }

  void add_rewards() {
    if (!runs_.options.wants("1") && !runs_.options.wants("2")) return;
    runs_.marks = curve_marks(data_.played.rows, data_.is_mnist);
    for (const double epsilon : epsilons()) {
      runs_.rewards.push_back({epsilon, std::vector<std::vector<double>>(runs_.options.seeds)});
    }
    for (HannunRewards& rewards : runs_.rewards) add_rewards_of(rewards, classes_, runs_.marks);
  }

  void add_arms() {
    for (const auto& world : worlds_) {
      runs_.arms.push_back({world->arms(), world->best_reward(), world->uniform_reward()});
      for (const double epsilon : {0.0, .01, .1, .3, .5}) {
        runs_.arms.back().rewards.push_back({epsilon, std::vector<std::vector<double>>(slow_seeds())});
      }
    }
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      for (HannunRewards& rewards : runs_.arms[i].rewards) add_rewards_of(rewards, *worlds_[i], whole_);
    }
  }

  void add_attacks() {
    if (!runs_.options.wants("6")) return;
    runs_.attack_marks = attack_marks_of(MembershipSplit::longest(data_));
    for (const double epsilon : {0.0, .01, .1, .5}) {
      runs_.attacks.push_back({epsilon, std::vector<std::vector<MembershipAdvantage>>(runs_.options.attacks),
                               std::vector<std::optional<MembershipAdvantage>>(runs_.attack_marks.size())});
    }
    for (HannunAttacks& attacks : runs_.attacks) {
      for (std::size_t i = 0; i < attacks.runs.size(); ++i) {
        pieces_.push_back({[this, &attacks, i] {
          attacks.runs[i] = attack_twin(data_, attacks.epsilon, seed(i), runs_.attack_marks);
        }});
      }
    }
  }

  void add_cell(std::vector<HannunFixedPoint>& cells, const FixedPointSettings& settings) {
    cells.push_back({settings, std::vector<double>(slow_seeds()), std::vector<std::uint64_t>(slow_seeds())});
  }

  void add_precision() {
    std::vector<unsigned> all_bits = data_.is_mnist ? std::vector<unsigned>{14, 16, 18, 20, 22, 24, 26}
                                                    : std::vector<unsigned>{10, 12, 14, 16, 20, 26};
    if (quick()) std::erase_if(all_bits, [](unsigned bits) { return bits == 16 || bits == 24 || bits == 18; });
    for (const unsigned bits : all_bits) {
      add_cell(runs_.precision, {bits, FixedRounding::published, NewtonStart::published, 7});
      for (const FixedRounding rounding :
           {FixedRounding::published, FixedRounding::unbiased, FixedRounding::nearest, FixedRounding::floor}) {
        add_cell(runs_.precision, {bits, rounding, NewtonStart::none, 0});
      }
    }
  }

  void add_newton() {
    for (const NewtonStart start : {NewtonStart::published, NewtonStart::linear}) {
      for (unsigned steps = 0; steps <= 8; steps += quick() ? 2 : 1) {
        add_cell(runs_.newton, {usual_bits, FixedRounding::unbiased, start, steps});
      }
    }
  }

  void add_fixed_point() {
    if (runs_.options.wants("7")) add_precision();
    if (runs_.options.wants("8")) add_newton();
    for (std::vector<HannunFixedPoint>* cells : {&runs_.precision, &runs_.newton}) {
      for (HannunFixedPoint& cell : *cells) {
        for (std::size_t i = 0; i < slow_seeds(); ++i) pieces_.push_back({[this, &cell, i] { play_cell(cell, i); }});
      }
    }
    if (pieces_.empty() || (runs_.precision.empty() && runs_.newton.empty())) return;
    runs_.plain_rewards.resize(slow_seeds());
    for (std::size_t i = 0; i < slow_seeds(); ++i) {
      pieces_.push_back({[this, i] {
        runs_.plain_rewards[i] = play_hannun_twin(classes_, hannun_usual_epsilon, seed(i), whole_).front();
      }});
    }
  }

  void play_cell(HannunFixedPoint& cell, std::size_t i) {
    FixedPointBandit bandit(classes_.arms(), hannun_features, hannun_usual_epsilon, seed(i), cell.settings);
    const std::vector<std::size_t> order = hannun_order(data_.played.rows, seed(i));
    cell.rewards[i] =
        play_order(bandit, classes_, order, seed(i), whole_, [](std::size_t, const FixedPointBandit&) {}).front();
    cell.failures[i] = bandit.failures();
  }

  HannunPrivateRun private_run(const HannunWorld& world, std::span<const std::size_t> order,
                               const HannunPrivateSettings& settings) {
    runner_.report(fmt::format("private run: {}, epsilon {:g}, {}", counted(world.arms(), "arm"), settings.epsilon,
                               counted(settings.steps, "step")));
    return run_hannun_private(world, order, runs_.options.first_seed, settings, runner_.stop());
  }

  void play_private_rewards() {
    for (HannunRewards& rewards : runs_.rewards) {
      if (quick() && rewards.epsilon != hannun_usual_epsilon) continue;
      rewards.private_run = private_run(classes_, order_, {rewards.epsilon, rows()});
    }
  }

  void play_private_arms() {
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      for (HannunRewards& rewards : runs_.arms[i].rewards) {
        if (quick() && (rewards.epsilon != hannun_usual_epsilon || worlds_[i]->arms() != 10)) continue;
        rewards.private_run = private_run(*worlds_[i], order_, {rewards.epsilon, rows()});
      }
    }
  }

  void play_private_attacks() {
    const MembershipSplit split(data_, runs_.options.first_seed);
    for (HannunAttacks& attacks : runs_.attacks) {
      if (quick() && attacks.epsilon != hannun_usual_epsilon) continue;
      for (std::size_t i = 0; i < runs_.attack_marks.size(); ++i) {
        const std::uint64_t steps = runs_.attack_marks[i];
        if (steps > 5000 && (quick() || steps < split.played().size())) continue;
        HannunPrivateSettings settings{attacks.epsilon, steps};
        settings.reveal_model = true;
        const HannunPrivateRun run = private_run(classes_, split.played(), settings);
        attacks.on_private[i] = membership_advantage(run.weights, attacks.epsilon, split.members(steps), split.others(),
                                                     runs_.options.first_seed);
      }
    }
  }

  void play_private_bits() {
    for (const HannunFixedPoint& cell : runs_.precision) {
      const unsigned bits = cell.settings.bits;
      const bool is_known = !runs_.private_bits.empty() && runs_.private_bits.back().settings.bits == bits;
      if (is_known || bits > most_private_bits || (quick() && bits != usual_bits)) continue;
      const HannunPrivateRun* same = bits == usual_bits ? usual_private_run() : nullptr;
      runs_.private_bits.push_back(
          same != nullptr ? *same : private_run(classes_, order_, {hannun_usual_epsilon, rows(), bits}));
    }
  }

  [[nodiscard]] const HannunPrivateRun* usual_private_run() const {
    for (const HannunRewards& rewards : runs_.rewards) {
      if (rewards.epsilon == hannun_usual_epsilon && rewards.private_run) return &*rewards.private_run;
    }
    return nullptr;
  }

  const HannunData& data_;
  HannunPaperRuns& runs_;
  const Runner& runner_;
  HannunWorld classes_;
  std::vector<std::unique_ptr<HannunWorld>> worlds_;
  std::vector<std::size_t> order_;
  std::vector<std::uint64_t> whole_{data_.played.rows};
  std::vector<Piece> pieces_;
};

}  // namespace

const std::vector<std::string>& hannun_figures() {
  static const std::vector<std::string> figures{"1", "2", "3", "4", "5", "6", "7", "8", "table1"};
  return figures;
}

bool HannunPaperOptions::wants(const std::string& figure) const {
  return figures.empty() || std::find(figures.begin(), figures.end(), figure) != figures.end();
}

MeanAndSd HannunRewards::at(std::size_t mark) const {
  return mean_over(runs, [mark](const std::vector<double>& run) { return run.at(mark); });
}

MeanAndSd HannunAttacks::by_reward(std::size_t mark) const {
  return mean_over(runs, [mark](const auto& run) { return run.at(mark).by_reward; });
}

MeanAndSd HannunAttacks::by_reward_and_arm(std::size_t mark) const {
  return mean_over(runs, [mark](const auto& run) { return run.at(mark).by_reward_and_arm; });
}

std::optional<std::size_t> HannunPaperRuns::mark_of(std::uint64_t steps) const {
  const auto found = std::find(marks.begin(), marks.end(), steps);
  if (found == marks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - marks.begin());
}

HannunPaperRuns play_hannun_paper(const HannunPaperOptions& options, const Runner& runner) {
  if (options.seeds == 0) throw InputError("--seeds", "at least one is needed");
  if (options.attacks == 0) throw InputError("--attacks", "at least one is needed");
  for (const std::string& figure : options.figures) {
    const auto& known = hannun_figures();
    if (std::find(known.begin(), known.end(), figure) == known.end()) {
      throw InputError("--figure", fmt::format("there are {}", fmt::join(known, ", ")));
    }
  }
  runner.report(options.mnist ? "reading MNIST, and its principal components" : "reading the digits");
  const HannunData data = load_hannun_data(options.mnist);
  HannunPaperRuns runs;
  runs.options = options;
  runs.data = data.name;
  runs.is_mnist = data.is_mnist;
  runs.rows = data.played.rows;
  runs.held_out = data.held_out.rows;
  HannunPlan plan(data, runs, runner);
  plan.play();
  plan.measure();
  return runs;
}

}  // namespace sotto::apps::lab
