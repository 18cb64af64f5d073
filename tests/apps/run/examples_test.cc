#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "apps/examples/example.h"
#include "sotto/epsilon_greedy.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/framework.h"

// The lines above already include all headers of the examples, so no header is read again inside a namespace. The main
// function of each example becomes a function in the example's namespace.
#define main example_main
namespace example_1 {
#include "apps/examples/1_millionaires.cc"
}
namespace example_2 {
#include "apps/examples/2_average_and_variance.cc"
}
namespace example_3 {
#include "apps/examples/3_linear_regression.cc"
}
namespace example_4 {
#include "apps/examples/4_logistic_regression.cc"
}
namespace example_5 {
#include "apps/examples/5_top_k.cc"
}
namespace example_6 {
#include "apps/examples/6_second_price_auction.cc"
}
namespace example_7 {
#include "apps/examples/7_k_means.cc"
}
namespace example_8 {
#include "apps/examples/8_your_own_protocol.cc"
}
namespace example_9 {
#include "apps/examples/9_your_own_bandit.cc"
}
#undef main

namespace sotto {

namespace {

struct Example {
  const char* name;
  double error;
  std::vector<Matrix> (*inputs)(std::size_t parties);
  std::function<Task<Matrix>(Session&, Matrix)> program;
};

Matrix numbers(Eigen::Index rows, Eigen::Index columns) { return Matrix::Random(rows, columns); }
Matrix whole_numbers(Eigen::Index rows, Eigen::Index columns, double most) {
  return (numbers(rows, columns).array().abs() * most).round().matrix();
}

std::vector<Matrix> of_each(std::size_t parties, const std::function<Matrix()>& draw) {
  std::vector<Matrix> inputs(parties);
  for (Matrix& input : inputs) input = draw();
  return inputs;
}
std::vector<Matrix> of_two(std::size_t parties, Matrix first, Matrix second) {
  std::vector<Matrix> inputs(parties);
  inputs[0] = std::move(first);
  inputs[1] = std::move(second);
  return inputs;
}

Task<Matrix> variance_of(Session& s, Matrix mine) {
  const double parties = static_cast<double>(s.parties());
  const Public opened = co_await example_8::variance(s.party(), std::move(mine));
  Matrix result(1, 1);
  result << std::nan("");
  opened.if_known(
      [&](const Words& words) { result << decode(words[0], 2 * example_8::fraction_bits) / (parties * parties); });
  co_return result;
}

std::vector<Example> all_examples() {
  const Matrix start = (Matrix(3, 2) << 2, 2, -2, 1, 0, -2).finished();
  return {
      {"1_millionaires", 0, [](std::size_t n) { return of_each(n, [] { return whole_numbers(1, 1, 1e5); }); },
       example_1::who_is_richest},
      {"2_average_and_variance", 0.01,
       [](std::size_t n) { return of_each(n, [] { return Matrix((numbers(100, 1).array() * 20 + 120).matrix()); }); },
       example_2::statistics},
      {"3_linear_regression", 1e-3,
       [](std::size_t n) {
         const Matrix x = numbers(400, 8);
         Matrix second(400, 4);
         second << x.rightCols(3), x * numbers(8, 1);
         return of_two(n, x.leftCols(5), second);
       },
       example_3::fit},
      {"4_logistic_regression", 1e-3,
       [](std::size_t n) {
         const Matrix x = numbers(200, 4);
         return of_two(n, x, (x.rowwise().sum().array() > 0).cast<double>().matrix());
       },
       example_4::fit},
      {"5_top_k", 0, [](std::size_t n) { return of_two(n, whole_numbers(1, 12, 9000), whole_numbers(1, 12, 9000)); },
       example_5::largest_five},
      {"6_second_price_auction", 0, [](std::size_t n) { return of_each(n, [] { return whole_numbers(4, 1, 999); }); },
       example_6::auction},
      {"7_k_means", 1e-3,
       [](std::size_t n) {
         Matrix x = 0.8 * numbers(120, 2);
         const Matrix centres = (Matrix(3, 2) << 2, 2, -2, 1, 0, -2).finished();
         for (Eigen::Index r = 0; r < x.rows(); ++r) x.row(r) += centres.row(r % 3);
         return of_two(n, x.topRows(60), x.bottomRows(60));
       },
       [start](Session& s, Matrix mine) { return example_7::centres(s, std::move(mine), start); }},
      {"8_your_own_protocol", 0, [](std::size_t n) { return of_each(n, [] { return whole_numbers(1, 1, 100); }); },
       variance_of},
  };
}

class Examples : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  [[nodiscard]] static SessionOptions options() { return {.preprocessing = GetParam()}; }
  [[nodiscard]] static std::size_t parties() { return GetParam() == RandomnessBy::replicated ? 3 : 2; }
};
INSTANTIATE_TEST_SUITE_P(By, Examples,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST_P(Examples, GiveWithoutADealerWhatTheyGiveWithOne) {
  std::srand(1);
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.name);
    const std::vector<Matrix> inputs = example.inputs(parties());
    const auto run = simulate(inputs, example.program, options());
    const auto dealt = simulate(inputs, example.program);
    EXPECT_LE((run.result() - dealt.result()).cwiseAbs().maxCoeff(), 2 * example.error);
    for (std::size_t p = 1; p < parties(); ++p) EXPECT_EQ(run.result(p), run.result(0));
    const RunCost planned = plan(parties(), example.program, options());
    EXPECT_EQ(planned.ledger.total(), run.ledger.total());
    EXPECT_EQ(planned.preprocessing_bytes, run.preprocessing_bytes);
    EXPECT_GT(run.preprocessing_rounds, 0u);
    EXPECT_EQ(run.dealt, 0u);
    std::printf("%-24s %s\n", example.name, run.in_short().c_str());
  }
}

// The coins of a run are random, but the bandit must learn in every run.
TEST_P(Examples, TheBanditLearnsWithoutADealer) {
  std::srand(2);
  using example_9::Brings;
  const std::size_t visitors = example_9::batches * example_9::batch;
  const Matrix x = 0.5 * numbers(static_cast<Eigen::Index>(visitors), 4);
  const Matrix likes = (x * (2 * numbers(4, 3))).cwiseMax(-1.0).cwiseMin(1.0);
  SessionOptions with_receiver = options();
  with_receiver.has_receiver = true;
  std::vector<Brings> brings(parties() + 1);
  brings[0].features = x.leftCols(2);
  brings[1].features = x.rightCols(2);
  brings.back().likes = likes;
  const auto run = simulate(brings, example_9::serve, with_receiver);
  const double average = run.result(parties()) / static_cast<double>(visitors);
  EXPECT_GT(average, (likes.mean() + likes.rowwise().maxCoeff().mean()) / 2);
  EXPECT_EQ(run.result(0), 0);
  EXPECT_EQ(plan<Brings>(parties(), example_9::serve, with_receiver).ledger.total(), run.ledger.total());
  std::printf("9_your_own_bandit        %s\n", run.in_short().c_str());
}

}  // namespace
}  // namespace sotto
