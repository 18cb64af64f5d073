#include "bench/lab/o3m_paper/o3m_paper.h"

#include <numeric>
#include <stdexcept>

#include "apps/kit/learn/instance.h"
#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/tasks.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

constexpr std::uint64_t most_points = 100;
constexpr std::uint64_t only_user = 0;

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

std::vector<std::uint64_t> points_of(std::uint64_t steps) {
  std::vector<std::uint64_t> points;
  const std::uint64_t count = std::min(most_points, steps);
  for (std::uint64_t i = 1; i <= count; ++i) points.push_back(i * steps / count);
  return points;
}

LinearBanditOptions bandit_options(const RegretSettings& settings, LinearAlgorithm algorithm, std::uint64_t seed) {
  LinearBanditOptions options;
  options.algorithm = algorithm;
  options.arms = settings.arms;
  options.beta = settings.beta;
  options.v = settings.v;
  options.lambda = settings.lambda;
  options.stream_seed = seed;
  return options;
}

LinearBanditOptions of_dimension(LinearBanditOptions options, std::size_t dimension) {
  options.dimension = dimension;
  return options;
}

struct Step {
  std::uint64_t number = 0;
  std::vector<double> contexts, masked;
  std::vector<double> means;
  double best = 0;
  double noise = 0;
};

struct Account {
  double regret = 0;
  std::vector<double> regrets, norm_differences;

  void pull(const Step& step, std::size_t arm) { regret += step.best - step.means[arm]; }
};

constexpr std::array contest_policies{PaperPolicy::central, PaperPolicy::masked, PaperPolicy::most, PaperPolicy::least};

struct ContestOutcome {
  std::array<Account, contest_policies.size()> accounts;
  double max_score_difference = 0;
  bool arms_equal = true;
};

class Contest {
 public:
  Contest(const RegretSettings& settings, LinearAlgorithm algorithm, std::uint64_t seed) {
    for (const PaperPolicy policy : contest_policies) {
      std::vector<std::size_t> columns(settings.features(policy));
      std::iota(columns.begin(), columns.end(), std::size_t{0});
      players_.emplace_back(bandit_options(settings, algorithm, seed), settings.dimension(), std::move(columns));
    }
  }

  void play(const Step& step) {
    std::array<std::size_t, contest_policies.size()> arms{};
    for (std::size_t i = 0; i < contest_policies.size(); ++i) {
      const bool masked = contest_policies[i] == PaperPolicy::masked;
      arms[i] = players_[i].select(step.number, masked ? step.masked : step.contexts);
    }
    compare(arms);
    for (std::size_t i = 0; i < contest_policies.size(); ++i) {
      outcome_.accounts[i].pull(step, arms[i]);
      players_[i].update(arms[i], step.means[arms[i]] + step.noise);
    }
  }

  void mark() {
    const double central = norm(players_[0].bandit().theta());
    for (std::size_t i = 0; i < contest_policies.size(); ++i) {
      outcome_.accounts[i].regrets.push_back(outcome_.accounts[i].regret);
      outcome_.accounts[i].norm_differences.push_back(std::abs(norm(players_[i].bandit().theta()) - central));
    }
  }

  [[nodiscard]] const ContestOutcome& outcome() const { return outcome_; }

 private:
  void compare(const std::array<std::size_t, contest_policies.size()>& arms) {
    outcome_.arms_equal = outcome_.arms_equal && arms[0] == arms[1];
    const auto central = players_[0].bandit().scores();
    const auto masked = players_[1].bandit().scores();
    for (std::size_t arm = 0; arm < central.size(); ++arm) {
      outcome_.max_score_difference = std::max(outcome_.max_score_difference, std::abs(central[arm] - masked[arm]));
    }
  }

  std::vector<PartialBandit> players_;
  ContestOutcome outcome_;
};

O3mParameters masking_parameters(const RegretSettings& settings) {
  O3mParameters parameters;
  parameters.steps = settings.steps;
  parameters.arms = settings.arms;
  parameters.columns = settings.columns;
  // A part of a unit vector has at most norm 1; the additional 1/16 allows for rounding.
  parameters.bounds.assign(settings.columns.size(), 1.0625);
  return parameters;
}

struct RepeatOutcome {
  std::array<ContestOutcome, paper_algorithms.size()> contests;
  Account uniform;
};

class Repeat {
 public:
  Repeat(const RegretSettings& settings, std::uint64_t seed)
      : settings_(settings),
        instance_({settings.dimension(), settings.arms, settings.noise_sd, seed}),
        masking_(masking_parameters(settings), seed),
        uniform_draws_(seed),
        contests_{Contest(settings, paper_algorithms[0], seed), Contest(settings, paper_algorithms[1], seed)} {}

  void run(const std::vector<std::uint64_t>& points, const std::atomic<bool>& interrupted) {
    Step step;
    step.contexts.resize(settings_.arms * settings_.dimension());
    step.masked.resize(step.contexts.size());
    step.means.resize(settings_.arms);
    auto point = points.begin();
    for (step.number = 0; step.number < settings_.steps; ++step.number) {
      if (interrupted) throw Interrupted();
      draw(step);
      for (Contest& contest : contests_) contest.play(step);
      uniform_.pull(step, uniform_draws_.below(settings_.arms));
      if (step.number + 1 != *point) continue;
      for (Contest& contest : contests_) contest.mark();
      uniform_.regrets.push_back(uniform_.regret);
      ++point;
    }
  }

  [[nodiscard]] RepeatOutcome outcome() const { return {{contests_[0].outcome(), contests_[1].outcome()}, uniform_}; }

 private:
  void draw(Step& step) {
    instance_.contexts(only_user, step.number, step.contexts);
    masking_.mask(step.contexts, step.masked);
    const std::size_t d = settings_.dimension();
    for (std::size_t arm = 0; arm < settings_.arms; ++arm) {
      step.means[arm] = instance_.mean(std::span(step.contexts).subspan(arm * d, d));
    }
    step.best = *std::max_element(step.means.begin(), step.means.end());
    step.noise = instance_.noise(only_user, step.number);
  }

  const RegretSettings& settings_;
  LinearInstance instance_;
  LocalMasking masking_;
  SeededDraws uniform_draws_;
  std::array<Contest, 2> contests_;
  Account uniform_;
};

void add_repeat(RegretRuns& runs, const RepeatOutcome& repeat) {
  for (std::size_t a = 0; a < paper_algorithms.size(); ++a) {
    const ContestOutcome& contest = repeat.contests[a];
    for (std::size_t i = 0; i < contest_policies.size(); ++i) {
      PolicyRuns& policy = runs.policies[{paper_algorithms[a], contest_policies[i]}];
      policy.regret.push_back(contest.accounts[i].regrets);
      policy.norm_difference.push_back(contest.accounts[i].norm_differences);
    }
    double& difference = runs.max_score_difference[paper_algorithms[a]];
    difference = std::max(difference, contest.max_score_difference);
    runs.arms_equal = runs.arms_equal && contest.arms_equal;
  }
  runs.uniform.regret.push_back(repeat.uniform.regrets);
}

}  // namespace

std::size_t RegretSettings::dimension() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
}

std::size_t RegretSettings::features(PaperPolicy policy) const {
  const double share = policy == PaperPolicy::most ? most_share : policy == PaperPolicy::least ? least_share : 1.0;
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(dimension())));
  return std::max<std::size_t>(1, count);
}

const PolicyRuns& RegretRuns::of(LinearAlgorithm algorithm, PaperPolicy policy) const {
  return policy == PaperPolicy::uniform ? uniform : policies.at({algorithm, policy});
}

PartialBandit::PartialBandit(LinearBanditOptions options, std::size_t whole, std::vector<std::size_t> columns)
    : whole_(whole),
      columns_(std::move(columns)),
      own_(options.arms * columns_.size()),
      bandit_(of_dimension(options, columns_.size())) {}

std::size_t PartialBandit::select(std::uint64_t step, std::span<const double> contexts) {
  double* to = own_.data();
  for (std::size_t row = 0; row < contexts.size(); row += whole_) {
    for (const std::size_t column : columns_) *to++ = contexts[row + column];
  }
  return bandit_.select(step, own_);
}

void PartialBandit::update(std::size_t arm, double reward) {
  bandit_.update(std::span(own_).subspan(arm * columns_.size(), columns_.size()), reward);
}

MeanAndSd at_point(const RepeatedCurve& curve, std::size_t i) {
  return mean_over(curve, [i](const std::vector<double>& repeat) { return repeat.at(i); });
}

MeanAndSd at_end(const RepeatedCurve& curve) { return at_point(curve, curve.empty() ? 0 : curve.front().size() - 1); }

RegretRuns run_regret(const RegretSettings& settings, const std::atomic<bool>& interrupted) {
  if (settings.steps == 0) throw InputError("--steps", "at least one step is needed");
  if (settings.repeats == 0) throw InputError("--repeats", "at least one repeat is needed");
  RegretRuns runs;
  runs.settings = settings;
  runs.points = points_of(settings.steps);
  std::vector<RepeatOutcome> outcomes(settings.repeats);
  run_tasks(settings.repeats, core_count(), interrupted, [&](std::size_t i) {
    Repeat repeat(settings, settings.seed + i);
    repeat.run(runs.points, interrupted);
    outcomes[i] = repeat.outcome();
  });
  for (const RepeatOutcome& outcome : outcomes) add_repeat(runs, outcome);
  return runs;
}

LocalMasking::LocalMasking(const O3mParameters& parameters, std::uint64_t seed) : plan_(plan_o3m(parameters)) {
  const std::size_t d = parameters.dimension();
  const std::vector<double> mask = random_orthogonal(d, Seed::insecure_from_number(seed));
  for (std::size_t j = 0; j < parameters.participants(); ++j) {
    blocks_.emplace_back(block_of(mask, d, plan_.offset(j), parameters.columns[j]));
  }
}

void LocalMasking::mask(std::span<const double> contexts, std::span<double> masked) {
  begin(contexts, masked);
  for (std::size_t j = 0; j < blocks_.size(); ++j) add(j, contexts);
  from_fixed(sums_, plan_.fraction_bits, masked);
}

void LocalMasking::mask_own_part(std::span<const double> contexts, std::span<double> masked) {
  begin(contexts, masked);
  add(0, contexts);
  from_fixed(sums_, plan_.fraction_bits, masked);
}

void LocalMasking::begin(std::span<const double> contexts, std::span<double> masked) {
  const std::size_t d = plan_.parameters.dimension();
  if (d == 0 || contexts.size() % d != 0 || masked.size() != contexts.size()) {
    throw std::invalid_argument("contexts to mask are whole rows of the whole dimension");
  }
  masked_own_.resize(masked.size());
  words_.resize(masked.size());
  sums_.assign(masked.size(), 0);
}

void LocalMasking::add(std::size_t participant, std::span<const double> contexts) {
  const std::size_t d = plan_.parameters.dimension();
  const std::size_t rows = contexts.size() / d;
  const std::size_t columns = plan_.parameters.columns[participant];
  own_.resize(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto from = contexts.subspan(r * d + plan_.offset(participant), columns);
    std::copy(from.begin(), from.end(), own_.begin() + static_cast<std::ptrdiff_t>(r * columns));
  }
  blocks_[participant].apply(own_, masked_own_);
  to_fixed(masked_own_, plan_.fraction_bits, words_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += words_[i];
}

}  // namespace sotto::apps::lab
