#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::testing {

using protocols::triangle;
using Numbers = std::vector<std::uint64_t>;

// Each arm has a hidden direction. The score of an arm is the cosine of the angle between the context and this
// direction, plus noise. If `binary` is true, the arm with the best score pays 1 and all others pay 0. Otherwise each
// arm pays its score.
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

// All roles of one run share the record of pulls and rewards. Only tests allow this.
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

// Gives the arms and rewards of a run to a plain-text bandit, and compares both models. `weights` and `inverses` are
// the largest allowed differences of an entry.
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

// Sent bytes by node, without the helper, which sends nothing. The helper's id is between the parties and the other
// nodes.
inline std::array<std::uint64_t, max_nodes> sent_in(const Outcome& outcome, std::string_view phase) {
  std::array<std::uint64_t, max_nodes> sent = outcome.run.ledger.of(phase).sent;
  const Topology topology = outcome.plan.parameters.topology();
  if (!topology.has_helper()) return sent;
  EXPECT_EQ(sent[topology.helper()], 0u) << phase;
  std::rotate(sent.begin() + topology.helper(), sent.begin() + topology.helper() + 1, sent.end());
  return sent;
}

// Checks that the phases of the program itself cost the same, whichever source makes the randomness. The first outcome
// belongs to a run without a dealer.
inline void expect_same_program_costs(const Outcome& outcome, const Outcome& other) {
  for (const std::string_view phase : {step_phase, refresh_phase, decide_phase, learn_phase, reveal_phase}) {
    EXPECT_EQ(outcome.run.ledger.of(phase).rounds, other.run.ledger.of(phase).rounds) << phase;
    EXPECT_EQ(sent_in(outcome, phase), sent_in(other, phase)) << phase;
  }
  EXPECT_EQ(outcome.run.dealt, 0u);
}

// A context of norm at most 1. `kind` is Alternating, Constant, Oblique, Turned, Lever or Biased. Any other kind means
// a random direction.
inline Eigen::VectorXd long_context(const std::string& kind, std::size_t row, std::size_t features,
                                    std::mt19937_64& random) {
  const auto d = static_cast<Eigen::Index>(features);
  std::normal_distribution<double> normal;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(d);
  if (kind == "Alternating") {
    x << (row % 2 == 0 ? .6 : .61), (row % 2 == 0 ? .8 : .7924);
  } else if (kind == "Constant") {
    x(0) = 1;
  } else if (kind == "Oblique") {
    for (Eigen::Index i = 0; i < d; ++i) x(i) = static_cast<double>(i + 1);
    x.normalize();
  } else if (kind == "Turned") {
    x.setConstant(.8 / std::sqrt(static_cast<double>(d - 1)));
    x(0) = .6;
  } else if (kind == "Lever") {  // |w| comes near its bound
    x(0) = .95;
    x(1) = random() % 2 == 0 ? 4e-4 : -4e-4;
  } else if (kind == "Biased") {
    for (Eigen::Index i = 1; i < d; ++i) x(i) = .2 + .03 * normal(random);
    x(0) = .92;
    x /= std::max(1.0, x.norm());
  } else {
    for (Eigen::Index i = 0; i < d; ++i) x(i) = normal(random);
    x.normalize();
  }
  return x;
}

inline std::vector<std::pair<std::string, std::size_t>> long_contexts() {
  return {{"Alternating", 2}, {"Constant", 4}, {"Biased", 4},     {"Lever", 4},
          {"Oblique", 2},     {"Oblique", 20}, {"Isotropic", 20}, {"Biased", 20}};
}

inline Numbers encoded(const Eigen::VectorXd& x, unsigned bits) {
  Numbers words;
  for (const double value : x) words.push_back(sotto::encode(value, bits));
  return words;
}
inline Eigen::MatrixXd whole(const Numbers& words, std::size_t d, unsigned bits) {
  const auto n = static_cast<Eigen::Index>(d);
  Eigen::MatrixXd matrix(n, n);
  for (std::size_t i = 0; i < words.size(); ++i) {
    matrix(static_cast<Eigen::Index>(i / d), static_cast<Eigen::Index>(i % d)) = decode(words[i], bits);
  }
  return matrix;
}

}  // namespace sotto::apps::bandit::testing
