#include <algorithm>
#include <cmath>

#include "tests/apps/library/support.h"

namespace sotto::testing {
namespace {

using Real = double (*)(double);

Matrix mapped(const Matrix& x, Real f) { return x.unaryExpr(f); }

constexpr std::size_t many = 4000;

TEST(Functions, SigmoidIsCloseOnItsRangeAndBeyond) {
  const auto f = [](Secret x) { return sigmoid(std::move(x)); };
  const Matrix narrow = numbers(-12, 12, many, 1);
  const Ran within = on_secret(narrow, 12, f);
  EXPECT_LE(error_of(within.numbers, mapped(narrow, logistic)), 1.5e-5);
  EXPECT_EQ(within.rounds, 2u);
  const Matrix wide = numbers(-100, 100, many, 2);
  const Ran beyond = on_secret(wide, 100, f, 3);
  EXPECT_LE(error_of(beyond.numbers, mapped(wide, logistic)), 1.5e-5);
  EXPECT_EQ(beyond.rounds, 3u);
}

TEST(Functions, TanhIsClose) {
  const Matrix x = numbers(-16, 16, many, 3);
  const Ran run = on_secret(x, 16, [](Secret v) { return tanh(std::move(v)); });
  EXPECT_LE(error_of(run.numbers, mapped(x, [](double v) { return std::tanh(v); })), 2.5e-5);
  EXPECT_EQ(run.rounds, 3u);
}

TEST(Functions, ExpIsClose) {
  const Real reference = [](double v) { return std::exp(v); };
  const Matrix x = numbers(-30, 4, many, 4);
  const Ran run = on_secret(x, 30, [](Secret v) { return exp(std::move(v)); });
  EXPECT_LE(error_of(run.numbers, mapped(x, reference)), 2e-5);
  EXPECT_EQ(run.rounds, 3u);
  const Matrix large = numbers(-11, 8, many, 5);
  EXPECT_LE(
      error_of(on_secret(large, 11, [](Secret v) { return exp(std::move(v), 8); }).numbers, mapped(large, reference)),
      1e-4);
  EXPECT_THROW((void)on_secret(x, 30, [](Secret v) { return exp(std::move(v), 9); }), std::invalid_argument);
}

TEST(Functions, LogIsClose) {
  const Matrix x = numbers(0.01, 16, many, 6);
  const Ran run = on_secret(x, 16, [](Secret v) { return log(std::move(v), 0.01); });
  EXPECT_LE(largest_difference(run.numbers, mapped(x, [](double v) { return std::log(v); })), 1e-4);
  EXPECT_EQ(run.rounds, 5u);
}

TEST(Functions, LogAndRootsAreCloseWhereTheirArgumentsAreNotSmall) {
  const Matrix x = numbers(0.5, 16, many, 7);
  EXPECT_LE(largest_difference(on_secret(x, 16, [](Secret v) { return log(std::move(v), 0.5); }).numbers,
                               mapped(x, [](double v) { return std::log(v); })),
            1.8e-5);
}

TEST(Functions, ReciprocalIsClose) {
  for (const std::size_t parties : {2, 5}) {
    const Matrix y = numbers(0.02, 16, 1000, 8);
    const Ran run = on_secret(
        y, 16, [](Secret v) { return reciprocal(std::move(v), 0.02); }, parties);
    // Rounding the argument 0.02 to a multiple of 2^-20 changes the reciprocal by up to 2.4e-5 of its value.
    EXPECT_LE(relative_error_of(run.numbers, mapped(y, [](double v) { return 1 / v; })), 1.3e-5 + 2.4e-5);
    EXPECT_EQ(run.rounds, 6u);
  }
}

TEST(Functions, DivisionIsClose) {
  const Matrix x = numbers(-16, 16, many, 9);
  const Matrix y = numbers(0.5, 16, many, 10);
  const Ran run = on_secrets(x, y, 16, [](Secret a, Secret b) { return divide(std::move(a), std::move(b), 0.5); });
  EXPECT_LE(relative_error_of(run.numbers, (x.array() / y.array()).matrix()), 1.6e-5);
  EXPECT_EQ(run.rounds, 6u);
}

TEST(Functions, RootsAreClose) {
  const Matrix x = numbers(0, 16, many, 11);
  const Ran run = on_secret(x, 16, [](Secret v) { return sqrt(std::move(v)); });
  EXPECT_LE(relative_error_of(run.numbers.bottomRows(many - 2),
                              mapped(x, [](double v) { return std::sqrt(v); }).bottomRows(many - 2)),
            2e-5);
  EXPECT_EQ(run.numbers(0, 0), 0);
  EXPECT_EQ(run.rounds, 6u);
  const Matrix y = numbers(0.25, 16, many, 12);
  const Ran inverse = on_secret(y, 16, [](Secret v) { return inverse_sqrt(std::move(v), 0.25); });
  EXPECT_LE(relative_error_of(inverse.numbers, mapped(y, [](double v) { return 1 / std::sqrt(v); })), 1.6e-5);
  EXPECT_EQ(inverse.rounds, 6u);
}

TEST(Functions, SoftmaxIsClose) {
  const Matrix x = random_matrix(60, 9, 8, 13);
  const Ran run = on_secret(x, 8, [](Secret v) { return row_softmax(std::move(v)); });
  Matrix want = x.array().exp().matrix();
  for (Eigen::Index r = 0; r < want.rows(); ++r) want.row(r) /= want.row(r).sum();
  EXPECT_LE(largest_difference(run.numbers, want), 5e-5);
  EXPECT_LE(run.rounds, 15u);
}

TEST(Functions, ComparisonsAreExact) {
  Matrix x = random_matrix(300, 1, 16, 14);
  Matrix y = random_matrix(300, 1, 16, 15);
  const double unit = std::ldexp(1.0, -20);
  x(0, 0) = 1, y(0, 0) = 1;
  x(1, 0) = 1, y(1, 0) = 1 + unit;
  x(2, 0) = 1 + unit, y(2, 0) = 1;
  x(3, 0) = 16, y(3, 0) = -16;
  x(4, 0) = -16, y(4, 0) = 16;
  for (const std::size_t parties : {2, 3, 5}) {
    const Ran below = on_secrets(
        x, y, 16, [](Secret a, Secret b) { return less(std::move(a), std::move(b)); }, parties);
    EXPECT_EQ(below.numbers, (x.array() < y.array()).cast<double>().matrix());
    EXPECT_EQ(below.rounds, 1u);
    const Ran same = on_secrets(
        x, y, 16, [](Secret a, Secret b) { return equal(std::move(a), std::move(b)); }, parties);
    EXPECT_EQ(same.numbers.sum(), 1);
    EXPECT_EQ(same.numbers(0, 0), 1);
    EXPECT_EQ(same.rounds, 1u);
  }
}

TEST(Functions, ChoicesAreExact) {
  // Inputs are multiples of 2^-20, so they are exact.
  const Matrix x = (random_matrix(200, 2, 16, 16) * 1024).array().round().matrix() / 1024;
  const Matrix y = (random_matrix(200, 2, 16, 17) * 1024).array().round().matrix() / 1024;
  const Ran top = on_secrets(x, y, 16, [](Secret a, Secret b) { return max(std::move(a), std::move(b)); });
  EXPECT_EQ(top.numbers, x.cwiseMax(y));
  EXPECT_EQ(top.rounds, 2u);
  EXPECT_EQ(on_secrets(x, y, 16, [](Secret a, Secret b) { return min(std::move(a), std::move(b)); }).numbers,
            x.cwiseMin(y));
  EXPECT_EQ(on_secret(x, 16, [](Secret a) { return abs(std::move(a)); }).numbers, x.cwiseAbs());
  EXPECT_EQ(on_secret(x, 16, [](Secret a) { return clamp(std::move(a), -2, 3.5); }).numbers,
            x.cwiseMax(-2.0).cwiseMin(3.5));
}

Matrix sorted(Matrix x) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) std::sort(&x(r, 0), &x(r, 0) + x.cols(), std::greater<>());
  return x;
}

TEST(Functions, OrdersAreExact) {
  Matrix x = (random_matrix(20, 7, 16, 18) * 1024).array().round().matrix() / 1024;
  x.row(0).setConstant(3);
  x(1, 0) = x(1, 6) = 16;
  for (const std::size_t parties : {2, 3}) {
    const Ran largest = on_secret(
        x, 16, [](Secret a) { return row_max(std::move(a)); }, parties);
    EXPECT_EQ(largest.numbers, x.rowwise().maxCoeff());
    EXPECT_EQ(largest.rounds, 3u);
    EXPECT_EQ(on_secret(
                  x, 16, [](Secret a) { return row_min(std::move(a)); }, parties)
                  .numbers,
              x.rowwise().minCoeff());
    const Ran in_order = on_secret(
        x, 16, [](Secret a) { return row_sort(std::move(a)); }, parties);
    EXPECT_EQ(in_order.numbers, sorted(x));
    EXPECT_EQ(in_order.rounds, 3u);
    const Ran places = on_secret(
        x, 16, [](Secret a) { return row_top_places(std::move(a), 3); }, parties);
    EXPECT_EQ(places.rounds, 2u);
    EXPECT_EQ((places.numbers.array() * x.array()).rowwise().sum().matrix(), sorted(x).leftCols(3).rowwise().sum());
    EXPECT_EQ(places.numbers.rowwise().sum(), Matrix::Constant(20, 1, 3));
  }
  EXPECT_EQ(on_secret(x, 16, [](Secret a) { return row_top(std::move(a), 2); }).numbers, sorted(x).leftCols(2));
  const Ran argmax = on_secret(x, 16, [](Secret a) { return row_argmax(std::move(a)); });
  EXPECT_EQ((argmax.numbers.array() * x.array()).rowwise().sum().matrix(), x.rowwise().maxCoeff());
  EXPECT_EQ(argmax.rounds, 2u);
  EXPECT_THROW((void)on_secret(x, 16, [](Secret a) { return row_top(std::move(a), 8); }), std::invalid_argument);
}

TEST(Functions, ArgmaxOfManyColumnsIsATournament) {
  const Matrix x = random_matrix(2, 70, 1, 19);
  const Ran run = on_secret(x, 1, [](Secret a) { return row_argmax(std::move(a)); });
  EXPECT_EQ((run.numbers.array() * x.array()).rowwise().sum().matrix(), x.rowwise().maxCoeff());
  EXPECT_EQ(run.rounds, 7u);
}

TEST(Functions, PolynomialsAreClose) {
  const Matrix x = numbers(-2, 2, 500, 20);
  const Ran run = on_secret(x, 2, [](Secret a) { return polynomial(std::move(a), {1, -2, 0.5, 0.25, 1}); });
  EXPECT_LE(
      largest_difference(run.numbers, mapped(x, [](double v) { return 1 + v * (-2 + v * (.5 + v * (.25 + v))); })),
      4e-5);
  EXPECT_EQ(run.rounds, 2u);
}

TEST(Functions, CurvesOfOnesOwn) {
  const Matrix x = numbers(-4, 4, 1000, 21);
  const Curve sine{[](double v) { return std::sin(v); }, -3, 3, -7, 7, 2e-5};
  const Ran run = on_secret(x, 4, [&](Secret a) { return apply(std::move(a), sine); });
  const Matrix want = mapped(x, [](double v) { return v < -3 ? -7 : v > 3 ? 7 : std::sin(v); });
  EXPECT_LE(largest_difference(run.numbers, want), 2.5e-5);
  const Curve steep{[](double v) { return std::sin(1e5 * v); }, -3, 3};
  EXPECT_THROW((void)on_secret(x, 4, [&](Secret a) { return apply(std::move(a), steep); }), std::invalid_argument);
}

TEST(Functions, FewerBitsHaveLargerErrors) {
  SessionOptions coarse;
  coarse.bits = 14;
  const Matrix x = numbers(-12, 12, 500, 22);
  const Ran run = on_secret(
      x, 12, [](Secret a) { return sigmoid(std::move(a)); }, 2, coarse);
  EXPECT_LE(error_of(run.numbers, mapped(x, logistic)), 1.5e-5 * 64);
}

}  // namespace
}  // namespace sotto::testing
