#include "bench/lab/measure/o3m_trial.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/instance.h"
#include "apps/kit/learn/seeded.h"
#include "apps/o3m/local.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"
#include "apps/o3m/synthetic_files.h"
#include "core/ring/kernels.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/summation/secure_sum.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t least_pool = 16;
constexpr double reward_noise = 0.05;

double us_since(Clock::time_point start, std::size_t steps) {
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(steps);
}

O3mPlan plan_of(const O3mCase& what) {
  O3mParameters parameters;
  parameters.algorithm = what.algorithm;
  parameters.steps = 1;
  parameters.arms = what.arms;
  parameters.columns = even_columns(what.participants, what.dimension);
  parameters.bounds.assign(what.participants, 1);
  return plan_o3m(parameters);
}

LinearBanditOptions bandit_of(const O3mCase& what) {
  LinearBanditOptions options;
  options.algorithm = what.algorithm;
  options.dimension = what.dimension;
  options.arms = what.arms;
  return options;
}

struct StepData {
  std::vector<double> whole;  // [step][arm][column]
  std::vector<std::vector<double>> own;
  std::vector<double> rewards;  // [step][arm]
};

StepData make_round(const O3mPlan& plan, const LinearInstance& instance, std::uint64_t first_step) {
  const std::size_t d = plan.parameters.dimension();
  StepData round;
  round.whole.resize(plan.batch_steps * plan.step_size());
  round.own.resize(plan.parameters.participants());
  for (std::size_t t = 0; t < plan.batch_steps; ++t) {
    const auto of_step = std::span(round.whole).subspan(t * plan.step_size(), plan.step_size());
    instance.contexts(0, first_step + t, of_step);
    for (std::size_t arm = 0; arm < plan.parameters.arms; ++arm) {
      const auto x = of_step.subspan(arm * d, d);
      round.rewards.push_back(instance.mean(x) + instance.noise(0, first_step + t));
      for (std::size_t j = 0; j < round.own.size(); ++j) {
        const auto columns = x.subspan(plan.offset(j), plan.parameters.columns[j]);
        round.own[j].insert(round.own[j].end(), columns.begin(), columns.end());
      }
    }
  }
  return round;
}

class Participant {
 public:
  Participant(const O3mPlan& plan, const std::vector<double>& q, std::size_t number)
      : number_(number),
        fraction_bits_(plan.fraction_bits),
        mask_(block_of(q, plan.parameters.dimension(), plan.offset(number), plan.parameters.columns[number])),
        zero_(seeds(0, number), seeds(number + 1, plan.parameters.participants())),
        masked_(plan.batch_steps * plan.step_size()),
        words_(masked_.size()) {}

  Words& mask(const StepData& round) {
    mask_.apply(round.own[number_], masked_);
    to_fixed(masked_, fraction_bits_, words_);
    zero_.add_to(words_);
    return words_;
  }

 private:
  std::vector<Seed> seeds(std::size_t first, std::size_t last) const {
    std::vector<Seed> result;
    for (std::size_t other = first; other < last; ++other) {
      const std::size_t pair = 1000 * std::min(number_, other) + std::max(number_, other);
      result.push_back(Seed::insecure_from_number(pair));
    }
    return result;
  }

  std::size_t number_;
  unsigned fraction_bits_;
  BlockMask mask_;
  protocols::ZeroShares zero_;
  std::vector<double> masked_;
  Words words_;
};

template <class Bandit>
std::vector<std::size_t> play(Bandit& bandit, const O3mPlan& plan, std::uint64_t first_step, const StepData& round,
                              std::span<const double> contexts, std::size_t steps) {
  const std::size_t d = plan.parameters.dimension();
  std::vector<std::size_t> arms;
  arms.reserve(steps);
  for (std::size_t t = 0; t < steps; ++t) {
    const auto of_step = contexts.subspan(t * plan.step_size(), plan.step_size());
    const std::size_t arm = bandit.select(first_step + t, of_step);
    bandit.update(of_step.subspan(arm * d, d), round.rewards[t * plan.parameters.arms + arm]);
    arms.push_back(arm);
  }
  return arms;
}

class Trial {
 public:
  explicit Trial(const O3mCase& what)
      : plan_(plan_of(what)), active_(bandit_of(what)), twin_(bandit_of(what)), textbook_(bandit_of(what)) {
    const std::vector<double> q = random_orthogonal(what.dimension, Seed::insecure_from_number(what.dimension));
    for (std::size_t j = 0; j < what.participants; ++j) participants_.emplace_back(plan_, q, j);
    const LinearInstance instance({what.dimension, what.arms, reward_noise, what.dimension});
    do {
      rounds_.push_back(make_round(plan_, instance, rounds_.size() * plan_.batch_steps));
    } while (rounds_.size() * plan_.batch_steps < least_pool);
    masked_.resize(plan_.batch_steps * plan_.step_size());
  }

  void run(O3mFigures& figures) {
    const StepData& round = rounds_[figures.joining_us.size() % rounds_.size()];
    const std::size_t steps = plan_.batch_steps;
    std::vector<const Words*> others;
    for (std::size_t j = 1; j < participants_.size(); ++j) {
      const Clock::time_point start = Clock::now();
      others.push_back(&participants_[j].mask(round));
      if (j == 1) figures.passive_us.push_back(us_since(start, steps));
    }

    Clock::time_point start = Clock::now();
    Words& sum = participants_[0].mask(round);
    for (const Words* words : others) kernels().add(sum.data(), words->data(), sum.size());
    from_fixed(sum, plan_.fraction_bits, masked_);
    figures.joining_us.push_back(us_since(start, steps));

    start = Clock::now();
    const auto arms = play(active_, plan_, figures.steps, round, masked_, steps);
    figures.playing_us.push_back(us_since(start, steps));

    start = Clock::now();
    const auto twin_arms = play(twin_, plan_, figures.steps, round, round.whole, steps);
    figures.twin_us.push_back(us_since(start, steps));
    if (arms != twin_arms) throw std::logic_error("masked contexts led to other arms");
    figures.steps += steps;
  }

  void run_textbook(O3mFigures& figures) {
    const std::size_t t = figures.textbook_us.size();
    const StepData& round = rounds_[t % rounds_.size()];
    const Clock::time_point start = Clock::now();
    (void)play(textbook_, plan_, t, round, round.whole, 1);
    figures.textbook_us.push_back(us_since(start, 1));
  }

 private:
  O3mPlan plan_;
  LinearBandit active_;
  LinearBandit twin_;
  TextbookBandit textbook_;
  std::vector<Participant> participants_;
  std::vector<StepData> rounds_;
  std::vector<double> masked_;
};

}  // namespace

class TextbookBandit::Model {
 public:
  explicit Model(const LinearBanditOptions& options)
      : options_(options),
        sums_(options.lambda * Eigen::MatrixXd::Identity(dimension(), dimension())),
        rewards_(Eigen::VectorXd::Zero(dimension())) {}

  std::size_t select(std::uint64_t step, std::span<const double> contexts) const {
    const Eigen::Map<const RowMajor> x(contexts.data(), static_cast<Eigen::Index>(options_.arms), dimension());
    const Eigen::VectorXd scores = options_.algorithm == LinearAlgorithm::ucb ? upper_bounds(x) : sampled(x, step);
    Eigen::Index best = 0;
    scores.maxCoeff(&best);
    return static_cast<std::size_t>(best);
  }

  void update(std::span<const double> context, double reward) {
    const Eigen::Map<const Eigen::VectorXd> x(context.data(), dimension());
    sums_.noalias() += x * x.transpose();
    rewards_ += reward * x;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Index dimension() const { return static_cast<Eigen::Index>(options_.dimension); }

  Eigen::VectorXd upper_bounds(const Eigen::Map<const RowMajor>& x) const {
    const Eigen::MatrixXd inverse = sums_.inverse();
    const RowMajor product = x * inverse;
    const Eigen::VectorXd squares = product.cwiseProduct(x).rowwise().sum();
    return x * (inverse * rewards_) + options_.beta * squares.cwiseSqrt();
  }

  Eigen::VectorXd sampled(const Eigen::Map<const RowMajor>& x, std::uint64_t step) const {
    const Eigen::LLT<Eigen::MatrixXd> llt(sums_);
    StepStream stream(options_.stream_seed, step);
    Eigen::VectorXd noise(dimension());
    for (double& value : noise) value = normal_pair(stream).first;
    return x * (llt.solve(rewards_) + options_.v * llt.matrixU().solve(noise));
  }

  LinearBanditOptions options_;
  Eigen::MatrixXd sums_;
  Eigen::VectorXd rewards_;
};

TextbookBandit::TextbookBandit(const LinearBanditOptions& options) : model_(std::make_unique<Model>(options)) {}
TextbookBandit::~TextbookBandit() = default;

std::size_t TextbookBandit::select(std::uint64_t step, std::span<const double> contexts) {
  return model_->select(step, contexts);
}
void TextbookBandit::update(std::span<const double> context, double reward) { model_->update(context, reward); }

O3mFigures measure_o3m(const O3mCase& what, std::uint64_t steps, std::uint64_t textbook_steps,
                       const std::atomic<bool>& interrupted) {
  Trial trial(what);
  O3mFigures figures;
  const auto proceed = [&] {
    if (interrupted) throw Interrupted();
  };
  while (figures.steps < steps || figures.joining_us.size() < 3) {
    proceed();
    trial.run(figures);
  }
  while (figures.textbook_us.size() < textbook_steps) {
    proceed();
    trial.run_textbook(figures);
  }
  return figures;
}

O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats, bool plaintext,
                               const std::atomic<bool>& interrupted) {
  const PrivateFolder folder;
  SyntheticO3m data;
  data.steps = steps;
  data.arms = what.arms;
  data.split = even_columns(what.participants, what.dimension);
  data.output = folder.path();
  O3mOptions options;
  options.files = write_synthetic_o3m(data);
  options.run.algorithm = what.algorithm;
  options.compare_central = true;
  options.run.insecure_plaintext = plaintext;
  const O3mInputs inputs = read_o3m_inputs(options.files);
  const O3mParameters parameters = local_parameters(options, inputs);

  O3mRunFigures figures;
  for (std::size_t run = 0; run < repeats; ++run) {
    const O3mOutcome outcome = launch_local_o3m(local_o3m(options, parameters), {}, interrupted);
    const O3mResult result = assemble_result(options, inputs, parameters, outcome);
    figures.playing_us.push_back(1e6 * result.seconds_per_step.value());
    figures.end_to_end_us.push_back(1e6 * result.end_to_end_seconds_per_step.value());
    figures.twin_us.push_back(1e6 * result.central.value().seconds_per_step);
    figures.arms_equal = figures.arms_equal && result.central->arms_equal;
    figures.received_bytes = result.bytes_per_step.value();
  }
  return figures;
}

}  // namespace sotto::apps::lab
