// Example 9: a bandit of your own, with decide() and learn(). Two companies each have two features of every visitor.
// The receiver shows one of three offers to each visitor and sees the rewards. The receiver learns the arms, and the
// companies learn nothing.
#include "apps/examples/example.h"
#include "sotto/epsilon_greedy.h"

using namespace sotto;

constexpr std::size_t batches = 12;
constexpr std::size_t batch = 32;

// A party brings features, and the receiver brings the reward of each visitor for each offer.
struct Brings {
  Matrix features;
  Matrix likes{};  // visitors by offers
};

// Returns the sum of the rewards at the receiver, and 0 at the other roles.
static Task<double> serve(Session& s, Brings mine) {
  bandit::Options options{.columns = {2, 2}, .arms = 3, .events = batches * batch, .batch = batch};
  // In a run with three companies, the third company has no features.
  options.computing_only = s.parties() - 2;
  bandit::EpsilonGreedy bandit(s, options);
  double earned = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    const auto first = static_cast<Eigen::Index>(b * batch);
    const Matrix here = mine.features.size() == 0 ? Matrix() : Matrix(mine.features.middleRows(first, batch));
    const std::vector<std::size_t> arms = co_await bandit.decide(batch, here);
    std::vector<double> rewards;
    for (std::size_t e = 0; e < arms.size(); ++e) {
      rewards.push_back(mine.likes(first + static_cast<Eigen::Index>(e), static_cast<Eigen::Index>(arms[e])));
      earned += rewards.back();
    }
    co_await bandit.learn(batch, here, arms, rewards);
  }
  co_return earned;
}

int main() {
  const Matrix x = 0.5 * Matrix::Random(batches * batch, 4);
  const Matrix likes = (x * (2 * Matrix::Random(4, 3))).cwiseMax(-1.0).cwiseMin(1.0);
  SessionOptions options;
  options.has_receiver = true;
  const std::vector<Brings> brings{{x.leftCols(2)}, {x.rightCols(2)}, {Matrix(), likes}};
  const auto run = simulate(brings, serve, options);
  const double average = run.result(2) / static_cast<double>(batches * batch);
  const double best = likes.rowwise().maxCoeff().mean();
  std::printf("average reward %.3f; %.3f at random, %.3f at best\n%s\n", average, likes.mean(), best,
              run.in_short().c_str());
  return average > (likes.mean() + best) / 2 ? 0 : 1;
}
