#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "tests/apps/library/support.h"

namespace sotto::testing {
namespace {

constexpr SessionOptions by_three{.preprocessing = RandomnessBy::replicated};
constexpr SessionOptions by_two{.preprocessing = RandomnessBy::ot};
constexpr SessionOptions by_two_helped{.preprocessing = RandomnessBy::helper};

std::size_t parties_of(const SessionOptions& options) {
  return options.preprocessing == RandomnessBy::replicated ? 3 : 2;
}

class WithoutADealer : public ::testing::TestWithParam<SessionOptions> {
 protected:
  [[nodiscard]] static const SessionOptions& options() { return GetParam(); }
  [[nodiscard]] static std::size_t parties() { return parties_of(options()); }

  static Matrix of_one(const Matrix& x, double bound, const OnSecret& f) {
    return on_secret(x, bound, f, parties(), options()).numbers;
  }
  static Matrix of_two(const Matrix& x, const Matrix& y, double bound, const OnSecrets& f) {
    return on_secrets(x, y, bound, f, parties(), options()).numbers;
  }
};
INSTANTIATE_TEST_SUITE_P(By, WithoutADealer, ::testing::Values(by_three, by_two, by_two_helped),
                         [](const auto& instance) { return std::string(name_of(instance.param.preprocessing)); });

constexpr std::size_t some = 200;

TEST_P(WithoutADealer, CurvesAreAsClose) {
  const Matrix x = numbers(-16, 16, some, 1);
  const auto mapped = [](const Matrix& of, double (*f)(double)) { return Matrix(of.unaryExpr(f)); };
  EXPECT_LE(error_of(of_one(x, 16, [](Secret v) { return sigmoid(std::move(v)); }), mapped(x, logistic)), 1.5e-5);
  EXPECT_LE(error_of(of_one(x, 16, [](Secret v) { return tanh(std::move(v)); }),
                     mapped(x, [](double v) { return std::tanh(v); })),
            2.5e-5);
  const Matrix below = numbers(-11, 4, some, 2);
  EXPECT_LE(error_of(of_one(below, 11, [](Secret v) { return exp(std::move(v)); }),
                     mapped(below, [](double v) { return std::exp(v); })),
            2e-5);
  const auto cosine = [](Secret v) {
    return apply(std::move(v), Curve{[](double t) { return std::cos(t); }, -16, 16});
  };
  EXPECT_LE(error_of(of_one(x, 16, cosine), mapped(x, [](double v) { return std::cos(v); })), 1e-4);
}

TEST_P(WithoutADealer, DivisionRootsAndLogarithmsAreAsClose) {
  const Matrix x = numbers(-16, 16, some, 3);
  const Matrix y = numbers(0.5, 16, some, 4);
  const Matrix ratio = of_two(x, y, 16, [](Secret a, Secret b) { return divide(std::move(a), std::move(b), 0.5); });
  EXPECT_LE(relative_error_of(ratio, (x.array() / y.array()).matrix()), 1.6e-5);
  const Matrix inverse = of_one(y, 16, [](Secret v) { return reciprocal(std::move(v), 0.5); });
  EXPECT_LE(relative_error_of(inverse, y.cwiseInverse()), 1.6e-5);
  const Matrix root = of_one(y, 16, [](Secret v) { return sqrt(std::move(v)); });
  EXPECT_LE(relative_error_of(root, y.cwiseSqrt()), 2e-5);
  const Matrix logarithm = of_one(y, 16, [](Secret v) { return log(std::move(v), 0.5); });
  EXPECT_LE(largest_difference(logarithm, y.array().log().matrix()), 1.8e-5);
}

TEST_P(WithoutADealer, ComparisonsAndOrdersAreExact) {
  Matrix x = random_matrix(40, 1, 16, 5);
  Matrix y = random_matrix(40, 1, 16, 6);
  x = (x * 1024).array().round().matrix() / 1024;
  y = (y * 1024).array().round().matrix() / 1024;
  y.topRows(4) = x.topRows(4);
  EXPECT_EQ(of_two(x, y, 16, [](Secret a, Secret b) { return less(std::move(a), std::move(b)); }),
            (x.array() < y.array()).cast<double>().matrix());
  EXPECT_EQ(of_two(x, y, 16, [](Secret a, Secret b) { return equal(std::move(a), std::move(b)); }),
            (x.array() == y.array()).cast<double>().matrix());
  EXPECT_EQ(of_two(x, y, 16, [](Secret a, Secret b) { return max(std::move(a), std::move(b)); }), x.cwiseMax(y));
  EXPECT_EQ(of_one(x, 16, [](Secret v) { return abs(std::move(v)); }), x.cwiseAbs());
  EXPECT_EQ(of_one(x, 16, [](Secret v) { return clamp(std::move(v), -2, 3); }), x.cwiseMax(-2).cwiseMin(3));

  const Matrix rows = x.reshaped(8, 5);
  EXPECT_EQ(of_one(rows, 16, [](Secret v) { return row_max(std::move(v)); }), Matrix(rows.rowwise().maxCoeff()));
  EXPECT_EQ(of_one(rows, 16, [](Secret v) { return row_argmax(std::move(v)); }).rowwise().sum(), Matrix::Ones(8, 1));
  Matrix sorted = rows;
  for (Eigen::Index r = 0; r < sorted.rows(); ++r) {
    std::sort(sorted.row(r).data(), sorted.row(r).data() + sorted.cols(), std::greater<>());
  }
  EXPECT_EQ(of_one(rows, 16, [](Secret v) { return row_sort(std::move(v)); }), sorted);
}

TEST_P(WithoutADealer, ProductsAreRoundedByOneUnitAtMost) {
  const Matrix x = random_matrix(5, 7, 16, 7);
  const Matrix y = random_matrix(7, 3, 16, 8);
  const Matrix z = of_two(x, y, 16, [](Secret a, Secret b) { return rounded(matmul(a, b)); });
  // Rounding changes each input by at most half a unit. Each entry of x y is the sum of 7 products of inputs up to 16.
  // So each of the 14 factors changes the entry by at most 16 half units.
  EXPECT_LE(largest_difference(z, x * y), 2 * 7 * 16 * unit / 2 + 2 * unit);
  const Matrix exactly = of_two(x, x, 16, [](Secret a, Secret b) { return detail::task_of((a - b).within(32) * a); });
  EXPECT_LE(exactly.cwiseAbs().maxCoeff(), unit);
}

Task<Matrix> mixed(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(1, {3, 2}, mine, 4), s.input(s.receiver(), {3, 2}, mine, 4));
  s.phase("functions");
  auto [product, bits, curve] = co_await all(rounded(x * y), less(x, y), sigmoid(x));
  s.phase("openings");
  co_return co_await s.reveal_to(s.receiver(), product + bits + curve, "all of it");
}

TEST_P(WithoutADealer, AReceiverBringsAndLearnsValues) {
  SessionOptions with_receiver = options();
  with_receiver.has_receiver = true;
  const Matrix x = random_matrix(3, 2, 4, 9);
  const Matrix y = random_matrix(3, 2, 4, 10);
  std::vector<Matrix> inputs(parties() + 1);
  inputs[1] = x;
  inputs.back() = y;
  const auto run = simulate(inputs, mixed, with_receiver);
  const Matrix want =
      (x.array() * y.array() + (x.array() < y.array()).cast<double>() + x.unaryExpr(&logistic).array()).matrix();
  EXPECT_LE(largest_difference(run.result(parties()), want), 5e-5);
  EXPECT_TRUE(run.result(0).array().isNaN().all());
  const RunCost planned = plan(parties(), mixed, with_receiver);
  EXPECT_EQ(planned.ledger.total(), run.ledger.total());
  EXPECT_GT(run.ledger.of("functions").rounds, 0u);
  ASSERT_EQ(run.opened.size(), 1u);
  EXPECT_EQ(run.opened[0].name, "all of it");
}

TEST_P(WithoutADealer, TheCostTellsWhatIsMadeAheadFromTheProgram) {
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    auto [x, y] = co_await all(s.input(0, {4, 2}, mine), s.input(1, {4, 2}, mine));
    Secret bits = co_await less(x, y);
    co_return co_await s.reveal(bits, "bits");
  };
  const RunCost cost = plan(parties(), program, options());
  const RunCost dealt = plan(parties(), program);
  EXPECT_EQ(cost.dealt, 0u);
  EXPECT_GT(dealt.dealt, 0u);
  EXPECT_EQ(dealt.preprocessing_rounds, 0u);
  EXPECT_EQ(dealt.preprocessing_bytes, 0u);
  EXPECT_GT(cost.preprocessing_rounds, 0u);
  EXPECT_EQ(cost.rounds - cost.preprocessing_rounds, dealt.rounds);
  EXPECT_EQ(cost.bytes - cost.preprocessing_bytes, dealt.bytes);
  EXPECT_EQ(cost.ledger.of("preprocessing").rounds, cost.preprocessing_rounds);
  EXPECT_EQ(cost.ledger.of("online").rounds, dealt.rounds);
  std::vector<Matrix> inputs(parties());
  inputs[0] = random_matrix(4, 2, 16, 11);
  inputs[1] = random_matrix(4, 2, 16, 12);
  const auto run = simulate(inputs, program, options());
  EXPECT_EQ(run.preprocessing_rounds, cost.preprocessing_rounds);
  EXPECT_EQ(run.preprocessing_bytes, cost.preprocessing_bytes);
  EXPECT_EQ(run.in_short(), cost.in_short());
  EXPECT_THAT(cost.in_short(), ::testing::EndsWith(" of them for preprocessing"));
  EXPECT_THAT(dealt.in_short(), ::testing::EndsWith(" dealt"));
  EXPECT_DOUBLE_EQ(cost.seconds(std::chrono::milliseconds(10), 8e6),
                   0.01 * static_cast<double>(cost.rounds) + 1e-6 * static_cast<double>(cost.bytes));
  EXPECT_NE(cost.digest, dealt.digest);
}

Task<Matrix> of_steps(Session& s, std::size_t steps) {
  Secret x = co_await s.input(0, {256, 1}, Matrix(), 1);
  for (std::size_t step = 0; step < steps; ++step) {
    auto [bit, curve] = co_await all(less(x, 0.5), sigmoid(x));
    x = (co_await (bit * curve)).within(1);
  }
  co_return co_await s.reveal(x, "x");
}

TEST_P(WithoutADealer, RoundsAheadHardlyGrowWithTheProgram) {
  const auto cost_of = [&](std::size_t steps) {
    return plan(
        parties(), [steps](Session& s) { return of_steps(s, steps); }, options());
  };
  const RunCost few = cost_of(2);
  const RunCost many = cost_of(40);
  EXPECT_LE(many.preprocessing_rounds, few.preprocessing_rounds + 2);
  EXPECT_GT(many.preprocessing_bytes, 10 * few.preprocessing_bytes);
}

TEST_P(WithoutADealer, OrdersOfMoreThan64ColumnsNeedNoDealer) {
  const auto program = [](Session& s) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 65}, Matrix());
    Secret top = co_await row_top(x, 2);
    co_return co_await s.reveal(top, "top");
  };
  EXPECT_GT(plan(parties(), program, options()).preprocessing_bytes, 0u);
}

struct Call {
  bool has_input;
  bool learns;
};

TEST_P(WithoutADealer, AProgramIsPlayedForItsRequestsWithoutInputsAndLearnsNothingThen) {
  std::vector<Call> calls;
  const auto program = [&calls](Session& s, Matrix mine) -> Task<Matrix> {
    const std::size_t call = calls.size();
    calls.push_back({mine.size() > 0, false});
    Secret x = co_await s.input(0, {1, 1}, mine);
    Matrix square = co_await s.reveal(co_await (x * x), "square");
    calls[call].learns = !std::isnan(square(0, 0));
    co_return square;
  };
  std::vector<Matrix> inputs(parties(), Matrix::Constant(1, 1, 3));
  const auto run = simulate(inputs, program, options());
  EXPECT_EQ(run.result(0)(0, 0), 9);
  const auto count = [&](bool Call::*what) {
    return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), [&](const Call& c) { return c.*what; }));
  };
  EXPECT_EQ(count(&Call::has_input), parties());
  EXPECT_EQ(count(&Call::learns), parties());
  for (const Call& call : calls) EXPECT_EQ(call.has_input, call.learns);
  EXPECT_GT(calls.size(), 2 * parties());
}

TEST_P(WithoutADealer, AProgramThatGoesByItsInputEndsInAnError) {
  for (const Eigen::Index with_input : {1, 3}) {
    const auto program = [with_input](Session& s, Matrix mine) -> Task<Matrix> {
      Secret x = s.constant(Matrix::Ones(mine.size() > 0 ? with_input : 2, 1));
      Secret bit = co_await less(x, 0.5);
      co_return co_await s.reveal(bit, "bit");
    };
    try {
      (void)simulate(std::vector<Matrix>(parties(), Matrix::Ones(1, 1)), program, options());
      ADD_FAILURE() << "the program asked for other randomness than there was";
    } catch (const std::logic_error& error) {
      EXPECT_STREQ(error.what(), "the program asks for other sizes than it did when it was recorded");
    }
  }
}

Task<Matrix> in_stretches(Session& s, Matrix mine) {
  Secret x = co_await s.input(0, {2, 2}, mine, 1);
  Secret y = x;
  for (int step = 0; step < 3; ++step) {
    if (step > 0) co_await protocols::next_stretch(s.party());
    y = co_await matmul(x, y).within(1);
    y = co_await clamp(y, -0.5, 0.5);
  }
  co_return co_await s.reveal(y, "y");
}

TEST_P(WithoutADealer, ALongProgramMarksItsStretches) {
  std::vector<Matrix> inputs(parties());
  inputs[0] = random_matrix(2, 2, 0.6, 13);
  const Ran by_themselves = ran(inputs, in_stretches, options());
  const Ran dealt = ran(inputs, in_stretches);
  EXPECT_LE(largest_difference(by_themselves.numbers, dealt.numbers), 16 * unit);
  EXPECT_EQ(plan(parties(), in_stretches, options()).ledger.of("online").rounds, dealt.rounds + 2);
}

TEST_P(WithoutADealer, MoreThan64ColumnsAreRefusedBeforeAnythingRuns) {
  const Matrix scores = random_matrix(2, 65, 1, 14);
  const auto program = [&scores](Session& s) -> Task<Matrix> {
    Secret x = s.constant(scores);
    Secret best = co_await row_argmax(x);
    co_return co_await s.reveal(best, "best");
  };
  const auto refused = [&](auto call) {
    try {
      call();
      ADD_FAILURE() << "not refused";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "an argmax of more than 64 arms needs a dealer");
    }
  };
  refused([&] { (void)plan(parties(), program, options()); });
  refused([&] { (void)simulate(parties(), program, options()); });
  EXPECT_EQ(simulate(parties(), program).result().sum(), 2);
}

TEST_P(WithoutADealer, OtherNumbersOfPartiesAreRefused) {
  const auto program = [](Session& s) -> Task<Matrix> { co_return co_await s.reveal(s.constant(1), "one"); };
  const std::map<RandomnessBy, const char*> needs{
      {RandomnessBy::replicated,
       "preprocessing: \"replicated\" needs three compute parties, of which two are honest, and the run has 4: take "
       "\"dealer\""},
      {RandomnessBy::ot, "preprocessing: \"ot\" needs two compute parties, and the run has 4: take \"dealer\""},
      {RandomnessBy::helper,
       "preprocessing: \"helper\" is of two compute parties and a helper, and the run has 4: take \"dealer\""}};
  for (const std::size_t other : {2, 3, 4, 8}) {
    if (other == parties()) continue;
    EXPECT_THROW((void)plan(other, program, options()), std::invalid_argument);
    EXPECT_THROW((void)simulate(other, program, options()), std::invalid_argument);
  }
  try {
    (void)plan(4, program, options());
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith(needs.at(options().preprocessing)));
  }
}

TEST(Sessions, HaveNoPhaseThatIsCalledAsWhatIsMadeAhead) {
  const auto program = [](Session& s) -> Task<Matrix> {
    s.phase("preprocessing");
    co_return co_await s.reveal(s.constant(1), "one");
  };
  EXPECT_THROW((void)plan(2, program), std::invalid_argument);
  EXPECT_THROW((void)plan(2, program, by_two), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::testing
