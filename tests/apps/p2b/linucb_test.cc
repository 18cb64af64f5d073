#include "sotto/apps/p2b/linucb.h"

#include <Eigen/Dense>

#include "sotto/apps/kit/data/seeded.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

// A and b of one arm, and the score by a decomposition of its own.
struct Reference {
  explicit Reference(Eigen::Index d) : a(Eigen::MatrixXd::Identity(d, d)), b(Eigen::VectorXd::Zero(d)) {}
  void learn(const std::vector<double>& x, double reward) {
    const Eigen::Map<const Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
    a += v * v.transpose();
    b += reward * v;
  }
  [[nodiscard]] double score(const std::vector<double>& x, double alpha) const {
    const Eigen::Map<const Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
    return lu.solve(b).dot(v) + alpha * std::sqrt(v.dot(Eigen::VectorXd(lu.solve(v))));
  }
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};

std::vector<double> draw_context(std::size_t d, SeededDraws& draws) {
  std::vector<double> x(d);
  for (double& value : x) value = draws.unit();
  return x;
}

RC_GTEST_PROP(P2bLinUcb, SharedAndOwnModelsScoreAsTheFormulaSays, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 13);
  const auto arms = *rc::gen::inRange<std::size_t>(1, 6);
  const auto shared_steps = *rc::gen::inRange(0, 60);
  const auto own_steps = *rc::gen::inRange(0, 40);
  SeededDraws draws(*rc::gen::arbitrary<std::uint64_t>());
  const double alpha = 0.7;
  LinUcb shared(d, arms, alpha);
  std::vector<Reference> reference(arms, Reference(static_cast<Eigen::Index>(d)));
  for (int i = 0; i < shared_steps; ++i) {
    const auto x = draw_context(d, draws);
    const std::size_t arm = draws.below(arms);
    const double reward = draws.unit();
    shared.learn(arm, x, 1, reward);
    reference[arm].learn(x, reward);
  }
  shared.solve();
  const auto x = draw_context(d, draws);
  std::vector<double> scores(arms);
  shared.scores(x, scores);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    RC_ASSERT(std::abs(scores[arm] - reference[arm].score(x, alpha)) < 1e-9);
  }
  // An agent before this one leaves nothing behind.
  OwnLinUcb own(shared);
  own.update(x, 0, 1);
  own.restart();
  const std::vector<Reference> before = reference;
  for (int i = 0; i < own_steps; ++i) {
    const auto own_x = draw_context(d, draws);
    const std::size_t arm = own.select(own_x, draws);
    for (std::size_t other = 0; other < arms; ++other) {
      RC_ASSERT(std::abs(own.scores()[other] - reference[other].score(own_x, alpha)) < 1e-9);
      RC_ASSERT(own.scores()[other] <= own.scores()[arm] + tie_tolerance);
    }
    const double reward = draws.unit();
    own.update(own_x, arm, reward);
    reference[arm].learn(own_x, reward);
  }
  // The shared model is as it was.
  shared.scores(x, scores);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    RC_ASSERT(std::abs(scores[arm] - before[arm].score(x, alpha)) < 1e-9);
  }
}

TEST(P2bLinUcb, WeightsStandForManySamples) {
  LinUcb once(2, 1);
  LinUcb often(2, 1);
  const std::vector<double> x{0.25, 0.5};  // sums without rounding
  once.learn(0, x, 1000, 300);
  for (int i = 0; i < 1000; ++i) often.learn(0, x, 1, i < 300 ? 1 : 0);
  once.solve();
  often.solve();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(once.theta(0)[i], often.theta(0)[i]);
}

TEST(P2bLinUcb, TiesAreBrokenUniformlyStatistical) {
  const LinUcb shared(3, 4);
  OwnLinUcb own(shared);
  SeededDraws draws(1);
  std::array<double, 4> seen{};
  for (int i = 0; i < 40'000; ++i) seen[own.select(std::vector<double>{0.2, 0.3, 0.5}, draws)] += 1;
  for (const double n : seen) EXPECT_NEAR(n, 10'000, 5 * std::sqrt(40'000 * 0.25 * 0.75));
}

TEST(P2bLinUcb, RefusesMisuse) {
  EXPECT_THROW(LinUcb(0, 1), std::invalid_argument);
  EXPECT_THROW(LinUcb(1, 0), std::invalid_argument);
  LinUcb model(2, 2);
  const std::vector<double> x{1, 0};
  EXPECT_THROW(model.learn(2, x, 1, 1), std::invalid_argument);
  EXPECT_THROW(model.learn(0, std::vector<double>{1}, 1, 1), std::invalid_argument);
  OwnLinUcb own(model);
  EXPECT_THROW(own.update(x, 2, 1), std::invalid_argument);
  EXPECT_THROW(own.update(std::vector<double>{1}, 0, 1), std::invalid_argument);
  model.learn(0, x, 1, 1);
  EXPECT_THROW(OwnLinUcb{model}, std::invalid_argument);
  std::vector<double> out(2);
  EXPECT_THROW(model.scores(x, out), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
