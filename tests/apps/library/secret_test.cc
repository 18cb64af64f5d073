#include <array>
#include <cmath>

#include "sotto/protocol/error/errors.h"
#include "tests/apps/library/support.h"

namespace sotto::testing {
namespace {

TEST(Secrets, LocalArithmeticIsThatOfMatrices) {
  const Matrix x = random_matrix(4, 3, 16, 1);
  const Matrix y = random_matrix(4, 3, 16, 2);
  const Matrix c = random_matrix(4, 3, 2, 3);
  const auto f = [&c](Secret a, Secret b) {
    Secret local = 0.5 * (a + b) - mean(a) + rows(b, 0) - columns(a, 2) + a * c + (c - b) - 3.25;
    return at_once(local);
  };
  const Ran run = on_secrets(x, y, 16, f, 3);
  Matrix want = 0.5 * (x + y) + (x.array() * c.array()).matrix() + c - y;
  want.array() -= x.mean() + 3.25;
  want.rowwise() += y.row(0);
  want.colwise() -= x.col(2);
  EXPECT_LE(largest_difference(run.numbers, want), 2e-5);
  EXPECT_EQ(run.rounds, 0u);
}

TEST(Secrets, RearrangingsAndSumsAreExact) {
  const Matrix x = (random_matrix(5, 3, 16, 4) / unit).array().round().matrix() * unit;
  const auto same = [&](const OnSecret& f, const Matrix& want) {
    const Ran run = on_secret(x, 16, f);
    EXPECT_EQ(run.numbers, want);
    EXPECT_EQ(run.rounds, 0u);
  };
  same([](Secret a) { return at_once(transpose(a)); }, x.transpose());
  same([](Secret a) { return at_once(row_sums(a)); }, x.rowwise().sum());
  same([](Secret a) { return at_once(column_sums(a)); }, x.colwise().sum());
  same([](Secret a) { return at_once(sum(a)); }, Matrix::Constant(1, 1, x.sum()));
  same([](Secret a) { return at_once(rows(a, 1, 2)); }, x.middleRows(1, 2));
  same([](Secret a) { return at_once(reshape(a, {3, 5})); }, Matrix(Eigen::Map<const Matrix>(x.data(), 3, 5)));
  same([](Secret a) { return at_once(broadcast(columns(a, 0), {5, 2})); }, x.col(0).replicate(1, 2));
  const auto stacked = [](Secret a) {
    const std::array<Secret, 2> parts{a, -2 * a};
    return at_once(hstack(parts));
  };
  Matrix beside(5, 6);
  beside << x, -2 * x;
  same(stacked, beside);
  const auto rounded_parts = [](Secret a) -> Task<Secret> {
    Secret b = co_await (a * 0.5 * a);
    const std::array<Secret, 2> parts{b, a};
    const Secret both = vstack(parts);
    co_return row_sums(transpose(both));
  };
  const Ran run = on_secret(x, 16, rounded_parts);
  EXPECT_LE(largest_difference(run.numbers, (0.5 * x.array() * x.array()).matrix().colwise().sum().transpose() +
                                                x.colwise().sum().transpose()),
            1e-4);
}

TEST(Products, AreThoseOfMatrices) {
  const Matrix x = random_matrix(6, 4, 4, 5);
  const Matrix w = random_matrix(4, 3, 4, 6);
  for (const std::size_t parties : {2, 3, 5}) {
    const Ran run = on_secrets(
        x, w, 4, [](Secret a, Secret b) { return rounded(matmul(a, b)); }, parties);
    EXPECT_LE(largest_difference(run.numbers, x * w), 16 * 4 * unit);
    EXPECT_EQ(run.rounds, 1u);
  }
  const Matrix y = random_matrix(6, 4, 4, 7);
  const auto sum_of_three = [](Secret a, Secret b) { return rounded((a * b - 0.3 * (b * b)) * 0.125 + a); };
  const Ran run = on_secrets(x, y, 4, sum_of_three);
  EXPECT_LE(largest_difference(run.numbers,
                               ((x.array() * y.array() - 0.3 * y.array().square()) * 0.125 + x.array()).matrix()),
            5e-5);
  EXPECT_EQ(run.rounds, 1u);
}

TEST(Products, OneRowColumnOrEntryServesAll) {
  const Matrix x = random_matrix(5, 3, 4, 8);
  const Matrix y = random_matrix(5, 3, 4, 9);
  const auto same = [&](const OnSecrets& f, const Matrix& want) {
    EXPECT_LE(largest_difference(on_secrets(x, y, 4, f).numbers, want), 2e-5);
  };
  same([](Secret a, Secret b) { return rounded(a * rows(b, 1)); }, (x.array().rowwise() * y.row(1).array()).matrix());
  same([](Secret a, Secret b) { return rounded(rows(b, 1) * a); }, (x.array().rowwise() * y.row(1).array()).matrix());
  same([](Secret a, Secret b) { return rounded(a * columns(b, 1)); },
       (x.array().colwise() * y.col(1).array()).matrix());
  same([](Secret a, Secret b) { return rounded(columns(a, 0) * rows(b, 0)); }, x.col(0) * y.row(0));
  same([](Secret a, Secret b) { return rounded(sum(a) * b); }, x.sum() * y);
  same([](Secret a, Secret b) { return rounded(row_dot(a, b)); }, (x.array() * y.array()).rowwise().sum().matrix());
}

TEST(Products, OfRoundedFactorsNeedNoFurtherRound) {
  const Matrix x = random_matrix(5, 5, 1, 10);
  const auto fourth = [](Secret a) -> Task<Secret> {
    Secret square = co_await matmul(a, a);
    co_return co_await matmul(square, square);
  };
  const Ran run = on_secret(x, 1, fourth);
  EXPECT_LE(largest_difference(run.numbers, x * x * x * x), 1e-4);
  EXPECT_EQ(run.rounds, 2u);
}

TEST(Products, AreOpenedWithoutAnError) {
  const Matrix x = (random_matrix(4, 1, 16, 11) / unit).array().round().matrix() * unit;
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret a = co_await s.input(0, {4, 1}, mine);
    co_return co_await s.reveal(a * a, "squares");
  };
  const auto run = simulate({x, Matrix()}, program);
  EXPECT_EQ(run.result(1), x.cwiseAbs2());
  EXPECT_EQ(run.rounds, 2u);
}

TEST(Products, OfLargeAndSmallNumbersKeepWhatFits) {
  const Matrix x = (random_matrix(50, 1, 1e6, 12)).array().abs().matrix();
  const Ran run = on_secret(x, 1e6, [](Secret a) { return rounded(matmul(transpose(a), a) * 1e-9); });
  EXPECT_NEAR(run.numbers(0, 0) / (x.squaredNorm() * 1e-9), 1, 1e-4);
}

TEST(Secrets, BoundsThatCannotHoldAreRefusedWhenPlanned) {
  const auto power = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine, 1e6);
    for (int i = 0; i < 5; ++i) x = co_await (x * x);
    co_return co_await s.reveal(x);
  };
  try {
    (void)plan(2, power);
    FAIL();
  } catch (const BoundError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("smaller bound"));
  }
  const auto narrowed = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine, 1e6);
    x = x * 1e-6;
    for (int i = 0; i < 5; ++i) x = (co_await (x * x)).within(1);
    co_return co_await s.reveal(x);
  };
  EXPECT_EQ(plan(2, narrowed).opened.size(), 1u);
  const auto scaled = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine);
    for (int i = 0; i < 9; ++i) x = x * 0.3;
    co_return co_await s.reveal(x);
  };
  EXPECT_THROW((void)plan(2, scaled), BoundError);
}

TEST(Secrets, InputsAreCheckedByTheirOwner) {
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(1, {2, 1}, mine, 3);
    co_return co_await s.reveal(x);
  };
  const auto refused = [&](const Matrix& mine, const char* why) {
    try {
      (void)simulate({Matrix(), mine}, program);
      FAIL() << why;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("3.7")));
    }
  };
  Matrix mine(2, 1);
  mine << 1, 3.75;
  refused(mine, "row 1, column 0");
  mine << std::nan(""), 1;
  refused(mine, "row 0, column 0");
  refused(Matrix::Zero(1, 2), "takes 2x1");
  mine << -3, 3;
  EXPECT_EQ(simulate({Matrix(), mine}, program).result(0), mine);
}

TEST(Secrets, OpenedNumbersAreNoPublicNumbers) {
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine);
    const Matrix known = co_await s.reveal(x);
    co_return co_await s.reveal(x * known);
  };
  EXPECT_THROW((void)plan(2, program), std::invalid_argument);
  EXPECT_THROW((void)simulate({Matrix::Ones(1, 1), Matrix()}, program), std::invalid_argument);
}

TEST(Secrets, AreOpenedToOneAloneAndNamed) {
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine);
    (void)co_await s.reveal_to(s.receiver(), x, "to the receiver");
    co_return co_await s.reveal_to(1, x * x, "the square");
  };
  SessionOptions options;
  options.has_receiver = true;
  const auto run = simulate({Matrix::Constant(1, 1, 3), Matrix(), Matrix(), Matrix()}, program, options);
  ASSERT_EQ(run.results.size(), 4u);
  EXPECT_TRUE(std::isnan(run.result(0)(0, 0)));
  EXPECT_EQ(run.result(1)(0, 0), 9);
  EXPECT_TRUE(std::isnan(run.result(2)(0, 0)));
  ASSERT_EQ(run.opened.size(), 2u);
  EXPECT_EQ(run.opened[0].to, 3u);
  EXPECT_EQ(run.opened[1].name, "the square");
  EXPECT_THROW((void)plan(2, program), std::invalid_argument);
}

TEST(Secrets, WhatIsOutsideItsBoundIsAWrongNumber) {
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 1}, mine, 1000);
    Secret y = co_await sigmoid(x.within(1));
    co_return co_await s.reveal(y);
  };
  EXPECT_EQ(simulate({Matrix::Constant(1, 1, 900), Matrix()}, program).rounds, plan(2, program).rounds);
}

TEST(Secrets, ShapesMustFit) {
  const Matrix x = Matrix::Ones(2, 3);
  const auto refused = [&](const OnSecret& f) { EXPECT_THROW((void)on_secret(x, 16, f), std::invalid_argument); };
  refused([](Secret a) { return at_once(a + transpose(a)); });
  refused([](Secret a) { return rounded(matmul(a, a)); });
  refused([](Secret a) { return at_once(rows(a, 1, 2)); });
  refused([](Secret a) { return at_once(reshape(a, {4, 2})); });
  refused([](Secret a) { return at_once(matmul(Matrix::Ones(1, 3), a)); });
}

TEST(Secrets, PublicMatricesMultiplyLocally) {
  const Matrix x = random_matrix(3, 4, 4, 13);
  const Matrix left = random_matrix(2, 3, 1, 14);
  const Matrix right = random_matrix(4, 2, 1, 15);
  const Ran run = on_secret(
      x, 4, [&](Secret a) { return at_once(matmul(matmul(left, a), right)); }, 3);
  EXPECT_LE(largest_difference(run.numbers, left * x * right), 1e-3);
  EXPECT_EQ(run.rounds, 0u);
}

TEST(Runs, TellWhatLinksMakeOfThem) {
  RunCost cost{10, 1'000'000, 500'000, Ledger(Topology::parties_alone(2)), {}};
  EXPECT_DOUBLE_EQ(cost.seconds(std::chrono::milliseconds(20), 1e8), 0.2 + 0.08);
  EXPECT_THROW((void)cost.seconds(std::chrono::milliseconds(20), 0), std::invalid_argument);
  EXPECT_EQ(cost.in_short(), "10 rounds, 1000000 bytes sent, 500000 bytes dealt");
}

}  // namespace
}  // namespace sotto::testing
