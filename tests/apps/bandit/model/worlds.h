// Worlds that tests of whole runs play in, and what was played in them.
#pragma once

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/model/program/prepared_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/result/step_frames.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::testing {

using protocols::triangle;

// Contexts of norm `norm`, and an environment that pays by a hidden linear rule or by the nearest of some centres.
struct BanditWorld {
  std::size_t features;
  std::size_t arms;
  bool binary;
  std::vector<std::vector<double>> contexts;
  std::vector<std::vector<double>> rewards;  // [row][arm]
};

inline BanditWorld make_world(std::size_t rows, std::size_t features, std::size_t arms, bool binary, double norm,
                              unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> centres;
  for (std::size_t a = 0; a < arms; ++a) centres.push_back(unit_vector(random, features));
  BanditWorld world{features, arms, binary, {}, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> x = unit_vector(random, features, norm);
    std::vector<double> scores;
    for (const auto& c : centres) {
      const double dot = std::inner_product(c.begin(), c.end(), x.begin(), 0.0) / norm;
      scores.push_back(std::clamp(dot + .1 * normal(random), -1.0, 1.0));
    }
    if (binary) {
      const double best = *std::max_element(scores.begin(), scores.end());
      for (double& s : scores) s = s == best ? 1 : 0;
    }
    world.contexts.push_back(x);
    world.rewards.push_back(scores);
  }
  return world;
}

// All roles of one run share what was pulled and paid, which only a test may.
class WorldSite final : public SiteOf<Contexts, Arms, Rewards> {
 public:
  struct Record {
    std::vector<std::size_t> arms;
    std::vector<double> rewards;
  };
  WorldSite(const BanditWorld& world, const BanditPlan& plan, Record& record)
      : world_(world), plan_(plan), record_(record), rounding_(5) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    std::size_t first = 0;
    for (std::size_t p = 0; p < party; ++p) first += plan_.parameters.columns[p];
    const auto& row = world_.contexts[step % world_.contexts.size()];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sotto::encode(row[first + i], plan_.context_bits);
  }
  void pull(std::uint64_t step, std::size_t arm) override {
    EXPECT_EQ(record_.arms.size(), step);
    record_.arms.push_back(arm);
  }
  std::uint64_t reward(std::uint64_t step) override {
    const double r = world_.rewards[step % world_.rewards.size()].at(record_.arms.at(step));
    const std::uint64_t word =
        encode_unbiased(r, plan_.reward_bits, std::uniform_real_distribution<double>(0, 1)(rounding_));
    record_.rewards.push_back(decode(word, plan_.reward_bits));
    return word;
  }

 private:
  const BanditWorld& world_;
  const BanditPlan& plan_;
  Record& record_;
  std::mt19937_64 rounding_;
};

struct Outcome {
  WorldSite::Record record;
  protocols::Simulation<BanditModel> run;
  Ledger planned;
  BanditPlan plan;
};

inline BanditParameters parameters_for(const BanditWorld& world, std::vector<std::size_t> columns,
                                       std::uint64_t steps) {
  return BanditParameters{.columns = std::move(columns),
                          .arms = world.arms,
                          .steps = steps,
                          .binary_rewards = world.binary,
                          .reveal_model = true};
}

// All roles of a run, with a dealer or without one as the parameters say.
inline Outcome play(const BanditWorld& world, BanditParameters parameters) {
  const BanditPlan plan = plan_bandit(std::move(parameters));
  WorldSite::Record record;
  WorldSite site(world, plan, record);
  const auto program = [&](Party& party) { return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "test"}); };
  auto run = protocols::simulate(plan.parameters.topology(), program);
  Ledger planned = protocols::plan(plan.parameters.topology(), program);
  return Outcome{std::move(record), std::move(run), std::move(planned), plan};
}

inline std::vector<double> decoded(const Public& value) {
  std::vector<double> numbers;
  value.if_known([&](const Words& words) {
    for (const std::uint64_t word : words) numbers.push_back(decode(word, value.scale()));
  });
  return numbers;
}

// The twin is fed with the private run's arms and rewards; the bounds are of differences of weights and of inverse
// matrices.
inline void expect_like_twin(const BanditWorld& world, const Outcome& outcome, double weights, double inverses) {
  PlaintextBandit twin(world.arms, world.features, 0, 1);
  for (std::size_t t = 0; t < outcome.record.arms.size(); ++t) {
    twin.update(world.contexts[t % world.contexts.size()], outcome.record.arms[t], outcome.record.rewards[t]);
  }
  const std::vector<double> w = decoded(outcome.run.nodes[0].weights);
  const std::vector<double> W = decoded(outcome.run.nodes[0].inverse_triangles);
  const std::size_t d = world.features;
  EXPECT_EQ(w.size(), world.arms * d);
  EXPECT_EQ(W.size(), world.arms * triangle(d));
  double worst_w = 0;
  double worst_W = 0;
  for (std::size_t a = 0; a < world.arms; ++a) {
    std::size_t entry = a * triangle(d);
    for (std::size_t i = 0; i < d; ++i) {
      worst_w = std::max(worst_w, std::abs(w[a * d + i] - twin.weights(a)[i]));
      for (std::size_t j = i; j < d; ++j) {
        worst_W = std::max(worst_W, std::abs(W[entry++] - twin.inverse_matrix(a)[i * d + j]));
      }
    }
  }
  EXPECT_LT(worst_w, weights);
  EXPECT_LT(worst_W, inverses);
}

inline void expect_measured_as_planned(const Outcome& outcome) {
  EXPECT_EQ(outcome.run.rounds, outcome.planned.total().rounds);
  EXPECT_EQ(outcome.run.sent, outcome.planned.total().sent);
  EXPECT_EQ(outcome.run.dealt, outcome.planned.total().dealt);
}

// Pulls of arms that the twin, which learns from the same pulls, scores below its best by more than `rounding`.
inline std::size_t pulls_unlike_twin(const BanditWorld& world, const Outcome& outcome, double rounding) {
  PlaintextBandit twin(world.arms, world.features, 0, 1);
  std::size_t differ = 0;
  for (std::size_t t = 0; t < outcome.record.arms.size(); ++t) {
    const auto scores = twin.scores(world.contexts[t]);
    const double best = *std::max_element(scores.begin(), scores.end());
    if (scores[outcome.record.arms[t]] < best - rounding) ++differ;
    twin.update(world.contexts[t], outcome.record.arms[t], outcome.record.rewards[t]);
  }
  return differ;
}

// By node, but for a helper, who stands between the parties and the others and sends nothing.
inline std::array<std::uint64_t, max_nodes> sent_in(const Outcome& outcome, std::string_view phase) {
  std::array<std::uint64_t, max_nodes> sent = outcome.run.ledger.of(phase).sent;
  const Topology topology = outcome.plan.parameters.topology();
  if (!topology.has_helper()) return sent;
  EXPECT_EQ(sent[topology.helper()], 0u) << phase;
  std::rotate(sent.begin() + topology.helper(), sent.begin() + topology.helper() + 1, sent.end());
  return sent;
}

// The phases of the program itself, however its randomness is made; nothing is dealt in the first.
inline void expect_same_program_costs(const Outcome& outcome, const Outcome& other) {
  for (const std::string_view phase : {step_phase, refresh_phase, decide_phase, learn_phase, reveal_phase}) {
    EXPECT_EQ(outcome.run.ledger.of(phase).rounds, other.run.ledger.of(phase).rounds) << phase;
    EXPECT_EQ(sent_in(outcome, phase), sent_in(other, phase)) << phase;
  }
  EXPECT_EQ(outcome.run.dealt, 0u);
}

}  // namespace sotto::apps::bandit::testing
