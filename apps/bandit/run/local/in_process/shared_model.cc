#include "apps/bandit/run/local/in_process/shared_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "apps/bandit/run/local/in_process/played.h"
#include "apps/bandit/run/local/in_process/simulated_run.h"
#include "apps/bandit/run/local/in_process/taken_model.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit::run {
namespace {

BatchPlan batches_of(const BanditSettings& settings, const std::vector<std::size_t>& columns) {
  if (!settings.max_norm) throw InputError("--max-norm", "is required for rows in memory");
  BanditSettings run = settings;
  run.parties = columns.size();
  const std::vector<double> bounds(columns.size(), *run.max_norm);
  return plan_batches(bandit_parameters(run, columns, bounds), run.batch);
}

BatchPlan without_exploring(BatchPlan plan) {
  plan.parameters.exploration = {};
  return plan;
}

std::vector<std::uint64_t> words_of(const RowsView& part, std::size_t first, std::size_t rows, unsigned bits) {
  std::vector<std::uint64_t> words(rows * part.columns);
  encode_view(part, first, bits, words);
  return words;
}

void check_training(const BanditParameters& parameters, std::span<const std::int64_t> arms,
                    std::span<const double> rewards) {
  for (std::size_t row = 0; row < arms.size(); ++row) {
    if (arms[row] < 0 || static_cast<std::uint64_t>(arms[row]) >= parameters.arms) {
      throw InputError(fmt::format("row {}: there is no such arm; arms are 0 to {}, or as many as n_arms says", row,
                                   parameters.arms - 1));
    }
    const double reward = rewards[row];
    if (!(reward >= -1 && reward <= 1)) {
      throw InputError(
          fmt::format("row {}: the reward is not a number in [-1, 1]; divide all by the largest size of one", row));
    }
    if (parameters.binary_rewards && reward != 0 && reward != 1) {
      throw InputError(fmt::format("row {}: the reward is neither 0 nor 1; give rewards=\"real\" to the bandit", row));
    }
  }
}

std::vector<std::uint64_t> reward_words(std::span<const double> rewards, unsigned bits) {
  Prg rounding(Seed::from_os());
  std::vector<std::uint64_t> words;
  words.reserve(rewards.size());
  for (const double reward : rewards) {
    const double uniform = std::ldexp(static_cast<double>(rounding.next() >> 11), -53);
    words.push_back(encode_unbiased(reward, bits, uniform));
  }
  return words;
}

}  // namespace

SharedModel::SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns)
    : plan_(batches_of(settings, columns)), greedy_plan_(without_exploring(plan_)), models_(columns.size()) {}

SharedModel::SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns,
                         const std::vector<EarlierModel>& models, std::uint64_t decided, std::uint64_t greedy)
    : SharedModel(settings, columns) {
  TakenModel taken = taken_model(plan_, models);
  models_ = std::move(taken.words);
  from_ = taken.from;
  reward_scale_ = models.front().name.reward_scale;
  learned_ = models.front().name.events;
  decided_ = decided;
  greedy_ = greedy;
}

void SharedModel::check(std::span<const RowsView> parts) const {
  check_rows(parts, plan_.parameters.max_norm);
  const std::vector<std::size_t>& columns = plan_.parameters.columns;
  if (parts.size() != columns.size()) {
    throw InputError(fmt::format("X is of {}, but the model of {}", counted(parts.size(), "party"), columns.size()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].columns == columns[p]) continue;
    throw InputError(
        fmt::format("X[{}] has {}, but the model has {} of it", p, counted(parts[p].columns, "column"), columns[p]));
  }
}

SharedModel::Models SharedModel::learned_from(const Models& models, std::span<const RowsView> parts,
                                              std::span<const std::int64_t> arms, std::span<const double> rewards,
                                              std::size_t first, SumBits from, const Tick& tick) {
  const std::size_t rows = arms.size();
  const std::function<Task<LearnResult>(Party&)> program = [&](Party& party) {
    LearnInputs inputs;
    inputs.size = rows;
    inputs.from = from;
    if (const auto number = number_of(party)) {
      inputs.model = models[*number];
      inputs.contexts = words_of(parts[*number], first, rows, plan_.context_bits);
    } else if (party.is(actor_of(party.topology()))) {
      inputs.arms.reserve(rows);
      for (const std::int64_t arm : arms) inputs.arms.emplace_back(static_cast<std::uint16_t>(arm));
      inputs.rewards = reward_words(rewards, plan_.reward_bits);
    }
    return run_learn(party, plan_, std::move(inputs));
  };
  const auto recorded = [&](Party& party) { return learn_without_inputs(party, plan_, rows, from); };
  auto run = played(plan_, program, protocols::StartProgram(recorded), tick);
  cost_ += Cost{run.rounds, run.sent, run.dealt};
  Models after;
  after.reserve(models.size());
  for (std::size_t p = 0; p < models.size(); ++p) after.push_back(std::move(run.nodes[p].model));
  return after;
}

void SharedModel::learn(std::span<const RowsView> parts, std::span<const std::int64_t> arms,
                        std::span<const double> rewards, const Tick& tick) {
  check(parts);
  const std::size_t rows = parts.front().rows;
  if (arms.size() != rows || rewards.size() != rows) {
    throw InputError(fmt::format("{} of features, but {} and {}: one of each a row", counted(rows, "row"),
                                 counted(arms.size(), "arm"), counted(rewards.size(), "reward")));
  }
  check_training(plan_.parameters, arms, rewards);
  if (rows > plan_.parameters.steps - learned_) {
    throw InputError("--steps", fmt::format("the model is made for {} that it learns, and would have {}",
                                            counted(plan_.parameters.steps, "row"), learned_ + rows));
  }
  Models models = models_;
  SumBits from = from_;
  for (std::size_t first = 0; first < rows; first += plan_.batch) {
    const std::size_t count = std::min(plan_.batch, rows - first);
    models = learned_from(models, parts, arms.subspan(first, count), rewards.subspan(first, count), first, from, tick);
    from = {};
  }
  models_ = std::move(models);
  from_ = {};
  learned_ += rows;
}

std::vector<double> SharedModel::opened_weights() const {
  const BanditParameters& parameters = plan_.parameters;
  const std::size_t features = std::accumulate(parameters.columns.begin(), parameters.columns.end(), std::size_t{0});
  std::vector<std::uint64_t> words(parameters.arms * features);
  for (const auto& model : models_) {
    if (!model) continue;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] += model->weights[i];
  }
  std::vector<double> weights;
  weights.reserve(words.size());
  for (const std::uint64_t word : words) {
    weights.push_back(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(word)), -static_cast<int>(plan_.weight_bits)));
  }
  return weights;
}

std::vector<EarlierModel> SharedModel::as_earlier() const {
  if (learned_ == 0) throw InputError("the model has learned nothing yet: learn rows first");
  const BanditParameters& parameters = plan_.parameters;
  EarlierModel model;
  model.name.id = fresh_session() + fresh_session();  // 64 hex digits
  model.name.events = learned_;
  model.name.arms = parameters.arms;
  model.name.features = std::accumulate(parameters.columns.begin(), parameters.columns.end(), std::size_t{0});
  model.name.bits = plan_.model_bits();
  model.name.bits.gram = std::max<unsigned>(model.name.bits.gram, from_.gram);
  model.name.bits.targets = std::max<unsigned>(model.name.bits.targets, from_.targets);
  model.name.reward_scale = reward_scale_;
  model.name.max_norm = parameters.max_norm;
  std::vector<EarlierModel> models(models_.size(), model);
  const auto joined = [](std::vector<std::uint64_t> first, const std::vector<std::uint64_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  for (std::size_t p = 0; p < models.size(); ++p) {
    const ModelWords& own = *models_[p];
    models[p].shares = {joined(own.inverse, own.gram), joined(own.weights, own.targets)};
  }
  return models;
}

std::vector<double> SharedModel::exact_scores(std::span<const RowsView> parts) const {
  check(parts);
  const std::vector<double> weights = opened_weights();
  const std::size_t arms = plan_.parameters.arms;
  const std::size_t features = weights.size() / arms;
  std::vector<double> row(features);
  std::vector<double> scores;
  scores.reserve(parts.front().rows * arms);
  for (std::size_t r = 0; r < parts.front().rows; ++r) {
    auto next = row.begin();
    for (const RowsView& part : parts) {
      for (std::size_t c = 0; c < part.columns; ++c) *next++ = part.at(r, c);
    }
    for (auto weight = weights.begin(); weight != weights.end(); weight += static_cast<std::ptrdiff_t>(features)) {
      scores.push_back(std::inner_product(row.begin(), row.end(), weight, 0.0));
    }
  }
  return scores;
}

std::vector<std::int64_t> SharedModel::decide(std::span<const RowsView> parts, bool explores, const Tick& tick) {
  check(parts);
  const std::size_t rows = parts.front().rows;
  const BatchPlan& plan = explores ? plan_ : greedy_plan_;
  const NodeId actor = actor_of(plan.parameters.topology());
  std::vector<std::int64_t> arms;
  arms.reserve(rows);
  for (std::size_t first = 0; first < rows; first += plan.batch) {
    const std::size_t count = std::min(plan.batch, rows - first);
    const std::function<Task<DecideResult>(Party&)> program = [&](Party& party) {
      DecideInputs inputs;
      inputs.size = count;
      if (const auto number = number_of(party)) {
        inputs.model = models_[*number];
        inputs.contexts = words_of(parts[*number], first, count, plan.context_bits);
      }
      return run_decide(party, plan, std::move(inputs));
    };
    const auto recorded = [&](Party& party) { return decide_without_inputs(party, plan, count); };
    const auto run = played(plan, program, protocols::StartProgram(recorded), tick);
    cost_ += Cost{run.rounds, run.sent, run.dealt};
    arms.insert(arms.end(), run.nodes[actor].arms.begin(), run.nodes[actor].arms.end());
    decided_ += count;  // the actor has learned these arms, even if a later batch fails
    const bool hidden = explores && (plan.parameters.exploration.always || plan.parameters.exploration.threshold > 0);
    if (!hidden) greedy_ += count;
  }
  return arms;
}

}  // namespace sotto::apps::bandit::run
