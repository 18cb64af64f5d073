#include "apps/bandit/run/local/local_twins.h"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/twin/follower.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/bandit/run/log/plaintext_evaluation.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::bandit::run {
namespace {

// The parties' rows side by side, wrapping round: what only a machine with all the files can have.
class JointContexts {
 public:
  explicit JointContexts(const LocalInputs& inputs) : rows_(inputs.blocks.front().table.rows) {
    for (const prepare::Block& block : inputs.blocks) features_ += block.table.columns.size();
    values_.reserve(rows_ * features_);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (const prepare::Block& block : inputs.blocks) {
        const std::size_t columns = block.table.columns.size();
        const double* begin = block.table.values.data() + row * columns;
        values_.insert(values_.end(), begin, begin + columns);
      }
    }
  }
  [[nodiscard]] std::span<const double> at(std::uint64_t step) const {
    return std::span(values_).subspan((step % rows_) * features_, features_);
  }
  [[nodiscard]] std::size_t features() const { return features_; }

 private:
  std::size_t rows_;
  std::size_t features_ = 0;
  std::vector<double> values_;
};

double environment_reward(const LocalInputs& inputs, std::uint64_t step, std::size_t arm) {
  return inputs.environment.reward(step % inputs.environment.rows(), arm);
}

std::uint64_t twin_seed(const BanditSettings& run) {
  const Seed root = run.insecure_seed ? Seed::insecure_from_number(*run.insecure_seed) : Seed::from_os();
  return Prg(root.derive("plain-text twin")).next();
}

// In which a run that is not interrupted decides and learns.
BatchSchedule order_of(const BanditSettings& run, const LocalInputs& inputs) {
  return BatchSchedule(local_plan(run, inputs).parameters);
}

}  // namespace

void add_twin(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run) {
  const JointContexts contexts(inputs);
  const PlaintextRun twin =
      run_plaintext([&](std::uint64_t step) { return contexts.at(step); },
                    [&](std::uint64_t step, std::size_t arm) { return environment_reward(inputs, step, arm); },
                    order_of(run, inputs), run.arms, contexts.features(), result.epsilon, twin_seed(run));
  result.plaintext_average_reward = twin.average_reward;
  result.plaintext_curve = twin.curve;
}

void add_parts(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run) {
  const JointContexts contexts(inputs);
  std::size_t first = 0;
  const auto play = [&](std::string name, std::size_t begin, std::size_t features) {
    PlaintextRun twin =
        run_plaintext([&](std::uint64_t step) { return contexts.at(step).subspan(begin, features); },
                      [&](std::uint64_t step, std::size_t arm) { return environment_reward(inputs, step, arm); },
                      order_of(run, inputs), run.arms, features, result.epsilon, twin_seed(run));
    result.parts.push_back({std::move(name), twin.average_reward, std::move(twin.curve)});
  };
  const std::vector<std::string> names = holder_names(run);
  for (std::size_t p = 0; p < inputs.blocks.size(); ++p) {
    const std::size_t features = inputs.blocks[p].table.columns.size();
    play(names[p], first, features);
    first += features;
  }
  play("all together", 0, contexts.features());
}

void add_plaintext_evaluation(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run) {
  if (!result.evaluation || inputs.from) return;
  const JointContexts contexts(inputs);
  const std::vector<std::uint64_t> rows = rows_in_turn(run.steps, run.events_held_out(), run.mixed);
  PlaintextBandit bandit(run.arms, contexts.features(), 0, 0);
  Evaluation& twin = result.plaintext_evaluation.emplace(*result.evaluation);
  const LogWeights weights = log_weights(*inputs.log, rows, twin.learned, run.weight_rule());
  const OpenedSums sums = plaintext_evaluation(
      bandit, [&](std::uint64_t row) { return contexts.at(row); }, *inputs.log, rows, weights.weights, twin.learned);
  twin.policies = policy_values(sums, *inputs.log, rows, weights, twin.learned);
}

void add_comparison(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                    const RoleReport& rewarder) {
  if (rewarder.arms.size() != run.steps) throw std::logic_error("the rewarder did not record every arm");
  const JointContexts contexts(inputs);
  PlaintextFollower follower(run.steps, run.arms, contexts.features(), result.epsilon);
  for (BatchSchedule order = order_of(run, inputs); !order.done();) {
    const auto [learns, events] = order.next();
    for (std::uint64_t step = events.first; step < events.first + events.count; ++step) {
      const std::size_t arm = rewarder.arms[step];
      if (learns) {
        follower.learned(contexts.at(step), arm, environment_reward(inputs, step, arm));
      } else {
        follower.decided(contexts.at(step), arm);
      }
    }
  }
  result.compare_plaintext = result.weights ? follower.comparison(*result.weights) : follower.comparison();
}

void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps) {
  const std::size_t rows = inputs.environment.rows();
  const std::size_t arms = inputs.environment.arms();
  double uniform = 0;
  double best = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t visits = steps / rows + (row < steps % rows ? 1 : 0);
    const auto times = static_cast<double>(visits);
    double sum = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) sum += inputs.environment.reward(row, arm);
    uniform += times * sum / static_cast<double>(arms);
    best += times * inputs.environment.best_reward(row);
  }
  result.uniform_average_reward = uniform / static_cast<double>(steps);
  result.best_average_reward = best / static_cast<double>(steps);
}

}  // namespace sotto::apps::bandit::run
