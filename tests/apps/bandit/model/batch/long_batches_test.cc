// Batches after 10^5 to 10^7 earlier pulls, for all kinds of contexts. At the start, the sums A and b contain all
// earlier pulls, and W is the rounded inverse of A.

#include <fmt/format.h>

#include "apps/bandit/model/batch/learn.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"
#include "tests/apps/bandit/model/worlds.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::testing {
namespace {

constexpr std::size_t repeated_rows = 4096;
constexpr int batches = 12;

enum class Story { more_of_it, new_arm, new_direction };

struct LongCase {
  std::string kind;
  std::size_t features;
  std::uint64_t pulls;
  std::size_t batch;
  Story story;
};

std::string name_of(const LongCase& c) {
  const char* story = c.story == Story::more_of_it ? "MoreOfIt" : c.story == Story::new_arm ? "NewArm" : "NewDirection";
  return fmt::format("{}D{}Pulls{}B{}{}", c.kind, c.features, c.pulls, c.batch, story);
}

struct History {
  explicit History(const LongCase& c) : plan(plan_of(c)) {
    std::mt19937_64 random(11);
    Eigen::VectorXd beta = long_context("Isotropic", 0, c.features, random);
    if (c.kind == "Lever") beta = Eigen::VectorXd::Unit(static_cast<Eigen::Index>(c.features), 1);
    std::vector<Eigen::VectorXd> base;
    std::vector<double> values;
    for (std::size_t row = 0; row < repeated_rows; ++row) {
      base.push_back(long_context(c.kind, row, c.features, random));
      values.push_back(base.back().dot(beta));
    }
    std::nth_element(values.begin(), values.begin() + repeated_rows / 2, values.end());
    const double middle = values[repeated_rows / 2];
    const auto pays = [&](const Eigen::VectorXd& x) { return x.dot(beta) >= middle ? 1U : 0U; };
    const std::uint64_t times = c.story == Story::new_arm ? 0 : c.pulls / repeated_rows;
    start.gram.assign(c.features * c.features, 0);
    start.targets.assign(c.features, 0);
    for (std::size_t i = 0; i < c.features; ++i)
      start.gram[i * c.features + i] = std::uint64_t{1} << (2 * plan.context_bits);
    for (const Eigen::VectorXd& x : base) {
      const Numbers row = encoded(x, plan.context_bits);
      for (std::size_t i = 0; i < c.features; ++i) {
        for (std::size_t j = 0; j < c.features; ++j) start.gram[i * c.features + j] += times * row[i] * row[j];
        start.targets[i] += times * pays(x) * row[i];
      }
    }
    for (int q = 0; q < batches; ++q) {
      rows.emplace_back();
      rewards.emplace_back();
      const bool all = c.story != Story::new_arm || (q >= 2 && q < 6);
      for (std::size_t e = 0; e < (all ? c.batch : 1); ++e) {
        const bool other = c.story == Story::new_arm ? q % 2 == 1 : (q < 3 || q % 2 == 1);
        const char* second = c.story == Story::new_arm ? "Isotropic" : "Turned";
        const bool turned = c.story != Story::more_of_it && other;
        const Eigen::VectorXd x = long_context(turned ? second : c.kind, e, c.features, random);
        const Numbers words = encoded(x, plan.context_bits);
        rows.back().insert(rows.back().end(), words.begin(), words.end());
        rewards.back().push_back(pays(x));
      }
    }
    for (int i = 0; i < 50; ++i)
      probes.push_back(long_context(c.kind, static_cast<std::size_t>(i), c.features, random));
    for (int i = 0; i < 50; ++i) probes.push_back(long_context("Isotropic", 0, c.features, random));
  }

  static BatchPlan plan_of(const LongCase& c) {
    BanditParameters p;
    p.columns = {1, c.features - 1};
    p.arms = 1;
    p.steps = c.pulls + c.pulls / 100 + 20 * c.batch;
    return plan_batches(std::move(p), c.batch);
  }

  BatchPlan plan;
  struct Start {
    Numbers gram, targets;
  } start;
  std::vector<Numbers> rows, rewards;  // one entry per batch
  std::vector<Eigen::VectorXd> probes;
};

Numbers rounded_inverse(const History& history, std::size_t d) {
  const Eigen::MatrixXd A = whole(history.start.gram, d, 2 * history.plan.context_bits);
  const Eigen::MatrixXd inverse = inverse_of(A);
  Numbers words(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) {
      const double entry = inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      words[i * d + j] = words[j * d + i] = sotto::encode(entry, history.plan.inverse_bits);
    }
  }
  return words;
}

// M is A^(1/2) W A^(1/2), and w is the vector of weights. Only `least` covers all batches: the other members cover the
// batches for which is_late() is true.
struct Judgement {
  double least = 9;     // least eigenvalue of M after any batch
  double off = 0;       // |I - M|
  double own = 0;       // largest error of a score, for contexts of LongCase::kind
  double anywhere = 0;  // largest error of a score for any unit context, divided by max(1, |w|)
};

void judge(Judgement& judgement, const History& history, bool late, const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
           const Eigen::MatrixXd& W, const Eigen::VectorXd& w) {
  const Eigen::VectorXd M = eigenvalues_of(A, W);
  judgement.least = std::min(judgement.least, M.minCoeff());
  if (!late) return;
  judgement.off = std::max({judgement.off, 1 - M.minCoeff(), M.maxCoeff() - 1});
  const Eigen::VectorXd exact = solved(A, b);
  for (std::size_t i = 0; i < history.probes.size(); ++i) {
    const double error = std::abs(history.probes[i].dot(w - exact));
    if (i < history.probes.size() / 2) judgement.own = std::max(judgement.own, error);
    judgement.anywhere = std::max(judgement.anywhere, error / std::max(1.0, exact.norm()));
  }
}

bool is_late(const LongCase& c, int q) { return c.story == Story::more_of_it || q >= batches - 3; }

Judgement by_twin(const LongCase& c, Omitted omitted = Omitted::nothing) {
  const History history(c);
  const std::size_t d = c.features;
  BatchTwin twin(history.plan, 3, omitted);
  twin.A = history.start.gram;
  twin.b = history.start.targets;
  twin.W = rounded_inverse(history, d);
  Judgement judgement;
  for (int q = 0; q < batches; ++q) {
    const auto batch = static_cast<std::size_t>(q);
    twin.learn(history.rows[batch], history.rewards[batch]);
    judge(judgement, history, is_late(c, q), whole(twin.A, d, 2 * history.plan.context_bits),
          vector_of(twin.b, 0, d, history.plan.context_bits), whole(twin.W, d, history.plan.inverse_bits),
          vector_of(twin.w, 0, d, history.plan.weight_bits));
  }
  return judgement;
}

Numbers upper(const Numbers& matrix, std::size_t d) {
  Numbers triangle;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) triangle.push_back(matrix[i * d + j]);
  }
  return triangle;
}

Task<std::vector<OpenedModel>> learn_all(Party& party, const History& history, const Numbers& inverse) {
  const BatchPlan& plan = history.plan;
  const std::size_t d = plan.parameters.features();
  BatchModel model = initial_batch_model(party, plan);
  const auto constant = [&](const auto& like, const Numbers& words) {
    return Masked::constant(party, like.shape(), like.scale(), words);
  };
  model.gram = constant(model.gram, upper(history.start.gram, d)).shares(party);
  model.targets = constant(model.targets, history.start.targets).shares(party);
  model.inverse = constant(model.inverse, upper(inverse, d));
  std::vector<OpenedModel> models;
  for (std::size_t q = 0; q < history.rows.size(); ++q) {
    const std::size_t events = history.rewards[q].size();
    TrainingEvents lessons{events, {}, {}, {}, {}};
    lessons.contexts = [&history, q, d](std::size_t owner, std::span<std::uint64_t> out) {
      const std::size_t first = owner == 0 ? 0 : 1;
      const std::size_t columns = owner == 0 ? 1 : d - 1;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = history.rows[q][i / columns * d + first + i % columns];
    };
    lessons.arms = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 1); };
    lessons.rewards = [&history, q](std::span<std::uint64_t> out) {
      std::copy(history.rewards[q].begin(), history.rewards[q].end(), out.begin());
    };
    model = co_await learn(party, plan, std::move(model), std::move(lessons));
    OpenedModel now = co_await opened(party, model);
    models.push_back(std::move(now));
  }
  co_return models;
}

Judgement by_protocol(const LongCase& c) {
  const History history(c);
  const std::size_t d = c.features;
  const Numbers inverse = rounded_inverse(history, d);
  const auto run = protocols::simulate(history.plan.parameters.topology(),
                                       [&](Party& party) { return learn_all(party, history, inverse); });
  Judgement judgement;
  for (int q = 0; q < batches; ++q) {
    const OpenedModel& model = run.nodes[0][static_cast<std::size_t>(q)];
    judge(judgement, history, is_late(c, q), matrix_of(model.gram, 0, d, 2 * history.plan.context_bits),
          vector_of(model.targets, 0, d, history.plan.context_bits),
          matrix_of(model.inverse, 0, d, history.plan.inverse_bits),
          vector_of(model.weights, 0, d, history.plan.weight_bits));
  }
  return judgement;
}

std::string text_of(const Judgement& j, const BatchPlan& plan) {
  return fmt::format("least {:.3g}, off {:.2g} of {:.2g}, own {:.2g}, anywhere {:.2g}", j.least, j.off, plan.rounding,
                     j.own, j.anywhere);
}

void expect_sound(const LongCase& c, const Judgement& judgement) {
  const BatchPlan plan = History::plan_of(c);
  SCOPED_TRACE(name_of(c) + ": " + text_of(judgement, plan));
  EXPECT_GT(judgement.least, 0);
  EXPECT_LT(judgement.off, std::max(plan.rounding, 1e-3));
  EXPECT_LT(judgement.own, 1e-3);
  EXPECT_LT(judgement.anywhere, 1e-3);
}

std::vector<LongCase> cases(std::vector<std::uint64_t> pulls, std::vector<std::size_t> sizes) {
  std::vector<LongCase> all;
  for (const auto& [kind, features] : testing::long_contexts()) {
    for (const std::uint64_t n : pulls) {
      for (const std::size_t size : sizes) {
        for (const Story story : {Story::more_of_it, Story::new_arm, Story::new_direction}) {
          all.push_back(LongCase{kind, features, n, size, story});
        }
      }
    }
  }
  return all;
}

TEST(LongBatches, StaySoundInTheProtocol) {
  for (const LongCase& c : cases({10'000'000}, {256})) expect_sound(c, by_protocol(c));
}

TEST(LongBatchesStatistical, StaySoundAtAnyLengthAndSize) {
  const bool all = takes_all_samples();
  const std::vector<std::uint64_t> pulls =
      all ? std::vector<std::uint64_t>{100'000, 1'000'000, 10'000'000} : std::vector<std::uint64_t>{10'000'000};
  const std::vector<std::size_t> sizes =
      all ? std::vector<std::size_t>{1, 16, 64, 256, 1024} : std::vector<std::size_t>{1, 64, 1024};
  for (const LongCase& c : cases(pulls, sizes)) expect_sound(c, by_twin(c));
}

TEST(LongBatches, NeedBothHalvesAndTheRefinedWeights) {
  const LongCase c{"Oblique", 20, 10'000'000, 256, Story::more_of_it};
  EXPECT_LT(by_twin(c).anywhere, 1e-3);
  EXPECT_GT(by_twin(c, Omitted::refinement).anywhere, 1e-2);
  const Judgement mirrored = by_twin(c, Omitted::other_half);
  EXPECT_TRUE(!(mirrored.least > 0) || mirrored.anywhere > 1e-2) << text_of(mirrored, History::plan_of(c));
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
