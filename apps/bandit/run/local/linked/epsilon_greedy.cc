#include "sotto/epsilon_greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/privacy.h"
#include "apps/library/form.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::bandit {
namespace {

apps::bandit::BatchPlan plan_of(const Options& options) {
  apps::bandit::BanditParameters parameters;
  parameters.columns = options.columns;
  parameters.computing_only = options.computing_only;
  parameters.arms = options.arms;
  parameters.steps = options.events;
  parameters.max_norm = options.max_norm;
  parameters.binary_rewards = false;
  parameters.batch = options.batch;
  parameters.exploration = apps::bandit::exploration_of(options.epsilon);
  apps::bandit::require_sane(parameters);
  return apps::bandit::plan_batches(parameters, options.batch);
}

void require_receiver(const Session& session, const Options& options) {
  (void)session.receiver();
  if (options.columns.size() + options.computing_only == session.parties()) return;
  throw InputError(fmt::format("the bandit has columns of {} parties and {} that only compute, the run has {}",
                               options.columns.size(), options.computing_only, session.parties()));
}

}  // namespace

struct EpsilonGreedy::State {
  State(Session& of, const Options& options)
      : session(of), plan(plan_of(options)), model(apps::bandit::initial_batch_model(of.party(), plan)) {}

  [[nodiscard]] apps::bandit::FillContexts contexts(std::size_t events, const Matrix& mine) const {
    if (events < 1 || events > plan.batch) {
      throw InputError(fmt::format("the bandit takes 1 to {} events at once, not {}", plan.batch, events));
    }
    return [this, events, rows = mine](std::size_t party, std::span<std::uint64_t> out) {
      const Shape shape{events, plan.parameters.columns[party]};
      if (!(shape_of(rows) == shape)) {
        throw InputError(fmt::format("the features of party {} are a matrix of {}, not of {}", party,
                                     to_string(shape_of(rows)), to_string(shape)));
      }
      const double most = plan.parameters.max_norm / std::sqrt(static_cast<double>(plan.parameters.columns.size()));
      for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        if (rows.row(r).norm() <= most * (1 + 1e-9)) continue;
        throw InputError(fmt::format("row {} of party {} is longer than max_norm / sqrt({}) = {:.6g}: scale the rows",
                                     r, party, plan.parameters.columns.size(), most));
      }
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = encode(rows.data()[i], plan.context_bits);
    };
  }

  [[nodiscard]] apps::bandit::TrainingEvents lessons(std::size_t events, const Matrix& mine,
                                                     const std::vector<std::size_t>& arms,
                                                     const std::vector<double>& rewards) {
    apps::bandit::TrainingEvents lessons{events, contexts(events, mine), {}, {}, {}};
    const std::size_t number = plan.parameters.arms;
    lessons.arms = [arms, number, events](std::span<std::uint64_t> out) {
      if (arms.size() != events) throw InputError("the receiver brings an arm for each event that is learned");
      std::fill(out.begin(), out.end(), 0);
      for (std::size_t e = 0; e < events; ++e) {
        if (arms[e] >= number) throw InputError("the receiver brings an arm that there is not");
        out[e * number + arms[e]] = 1;
      }
    };
    lessons.rewards = [this, rewards, events](std::span<std::uint64_t> out) {
      if (rewards.size() != events) throw InputError("the receiver brings a reward for each event that is learned");
      for (std::size_t e = 0; e < events; ++e) out[e] = word_of(rewards[e]);
    };
    return lessons;
  }

  [[nodiscard]] std::uint64_t word_of(double reward) {
    if (!(std::abs(reward) <= 1)) throw InputError("a reward is not in [-1, 1]: scale the rewards");
    const double uniform = std::ldexp(static_cast<double>(rounding.next() >> 11), -53);
    return encode_unbiased(reward, plan.reward_bits, uniform);
  }

  Session& session;
  apps::bandit::BatchPlan plan;
  apps::bandit::BatchModel model;
  Prg rounding{Seed::from_os()};
  std::uint64_t learned = 0;
};

namespace {

Task<std::vector<std::size_t>> decided(Party& party, const apps::bandit::BatchPlan& plan, const Masked& weights,
                                       std::size_t events, apps::bandit::FillContexts fill) {
  const Public chosen = co_await apps::bandit::decide(party, plan, weights, events, std::move(fill));
  std::vector<std::size_t> arms;
  const std::size_t number = plan.parameters.arms;
  chosen.if_known([&](const Words& words) {
    for (std::size_t e = 0; e < words.size() / number; ++e) {
      const auto* const row = words.data() + e * number;
      arms.push_back(static_cast<std::size_t>(std::find(row, row + number, 1) - row));
    }
  });
  co_return arms;
}

Task<Unit> learned(Party& party, const apps::bandit::BatchPlan& plan, apps::bandit::BatchModel& model,
                   apps::bandit::TrainingEvents lessons) {
  model = co_await apps::bandit::learn(party, plan, std::move(model), std::move(lessons));
  Unit done;
  co_return done;
}

Task<Matrix> opened_weights(Party& party, const Masked& weights) {
  const Public opened = co_await protocols::open(party, weights.shares(party), "weights");
  co_return sotto::detail::numbers_of(opened);
}

}  // namespace

EpsilonGreedy::EpsilonGreedy(Session& session, const Options& options) {
  require_receiver(session, options);
  session.agree(fmt::format(
      "epsilon-greedy bandit, columns {}, computing only {}, arms {}, events {}, batch {}, epsilon {}, max_norm {}",
      fmt::join(options.columns, "+"), options.computing_only, options.arms, options.events, options.batch,
      options.epsilon, options.max_norm));
  state_ = std::make_unique<State>(session, options);
}

EpsilonGreedy::~EpsilonGreedy() = default;

Task<std::vector<std::size_t>> EpsilonGreedy::decide(std::size_t events, const Matrix& mine) {
  return decided(state_->session.party(), state_->plan, state_->model.weights, events, state_->contexts(events, mine));
}

Task<Unit> EpsilonGreedy::learn(std::size_t events, const Matrix& mine, const std::vector<std::size_t>& arms,
                                const std::vector<double>& rewards) {
  apps::bandit::TrainingEvents lessons = state_->lessons(events, mine, arms, rewards);
  state_->learned += events;
  if (state_->learned > state_->plan.parameters.steps) {
    throw InputError(
        fmt::format("the bandit was planned to learn {} events: state more", state_->plan.parameters.steps));
  }
  return learned(state_->session.party(), state_->plan, state_->model, std::move(lessons));
}

Task<Matrix> EpsilonGreedy::reveal_weights() { return opened_weights(state_->session.party(), state_->model.weights); }

}  // namespace sotto::bandit
