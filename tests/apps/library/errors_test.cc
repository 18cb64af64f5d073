// Tests the error bounds that include/sotto/functions.h, product.h and secret.h declare. Arguments are multiples of
// 2^-20, which secrets represent exactly, so the function causes the whole error.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/apps/library/support.h"
#include "tests/framework.h"

namespace sotto::testing {
namespace {

constexpr std::size_t million = 1'000'000;        // samples
constexpr std::size_t entries_at_once = 1 << 11;  // few enough that their dealt data fits into a cache

double on_grid(double x) { return std::round(x / unit) * unit; }

Matrix arguments(double least, double most, std::vector<double> marks, std::size_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(least, most);
  Matrix x(static_cast<Eigen::Index>(samples(million) / columns), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = on_grid(uniform(random));
  marks.insert(marks.end(), {least, most});
  double* next = x.data();
  for (const double mark : marks) {
    for (const double value : {mark - unit, mark, mark + unit}) {
      if (value >= least && value <= most) *next++ = on_grid(value);
    }
  }
  return x;
}

std::vector<double> powers_of_two(double most) {
  std::vector<double> powers;
  for (double power = unit; power <= most; power *= 2) powers.push_back(power);
  return powers;
}

Matrix computed(const Matrix& x, const Matrix& y, double bound, const OnSecrets& f) {
  const auto at_once = static_cast<Eigen::Index>(entries_at_once / static_cast<std::size_t>(x.cols()));
  Matrix result;
  for (Eigen::Index first = 0; first < x.rows(); first += at_once) {
    const Eigen::Index count = std::min(at_once, x.rows() - first);
    const Matrix mine = x.middleRows(first, count);
    const Matrix other = y.middleRows(first, count);
    const auto run = simulate({mine, other}, [&](Session& s, Matrix own) {
      return of_two(s, std::move(own), shape_of(mine), shape_of(other), bound, f);
    });
    if (result.size() == 0) result.resize(x.rows(), run.result().cols());
    result.middleRows(first, count) = run.result();
  }
  return result;
}
Matrix computed(const Matrix& x, double bound, const OnSecret& f) {
  return computed(x, x, bound, [&f](Secret a, const Secret&) { return f(std::move(a)); });
}

// The largest ratio of |got - want| to the allowed error. This ratio must be at most 1.
double share_of_bound(const Matrix& got, const Matrix& want, const std::function<double(double)>& allowed) {
  EXPECT_EQ(got.rows(), want.rows());
  EXPECT_EQ(got.cols(), want.cols());
  double largest = 0;
  for (Eigen::Index i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(got.data()[i] - want.data()[i]) / allowed(want.data()[i]));
  }
  return largest;
}

std::function<double(double)> absolute(double error) {
  return [error](double) { return error; };
}
// A relative bound, plus some units of the last bit.
std::function<double(double)> relative(double error, int units = 2) {
  return [error, units](double want) { return error * std::abs(want) + units * unit; };
}

void expect_close(const Matrix& got, const Matrix& want, const std::function<double(double)>& allowed) {
  const double share = share_of_bound(got, want, allowed);
  ::testing::Test::RecordProperty("share_of_the_bound", std::to_string(share));
  EXPECT_LE(share, 1);
}

Matrix bits_of(const auto& holds) { return holds.template cast<double>().matrix(); }

// Returns random pairs. Many pairs have equal numbers, or numbers that differ by one unit.
struct Pairs {
  Matrix x = arguments(-16, 16, {0}, 1, 1);
  Matrix y = arguments(-16, 16, {0}, 1, 2);
  Pairs() {
    for (Eigen::Index i = 0; i < x.rows() / 2; ++i) y(i, 0) = std::clamp(x(i, 0) + unit * double(i % 3 - 1), -16., 16.);
    y(0, 0) = 16;
    y(1, 0) = -16;
  }
};

TEST(ErrorsStatistical, ComparisonsHaveNone) {
  const Pairs of;
  const Matrix got = computed(of.x, of.y, 16, [](Secret a, Secret b) -> Task<Secret> {
    auto [below, same] = co_await all(less(a, b), equal(a, b));
    const std::array<Secret, 2> parts{below, same};
    co_return hstack(parts);
  });
  EXPECT_EQ(got.col(0), bits_of(of.x.array() < of.y.array()));
  EXPECT_EQ(got.col(1), bits_of(of.x.array() == of.y.array()));
}

TEST(ErrorsStatistical, ChoicesHaveNone) {
  const Pairs of;
  const Matrix got = computed(of.x, of.y, 16, [](Secret a, Secret b) -> Task<Secret> {
    Secret bit = co_await less(a, b);
    auto [chosen, top, low, size, kept] =
        co_await all(select(bit, 2 * b, a), max(a, b), min(a, b), abs(a), clamp(a, -2, 3.5));
    const std::array<Secret, 5> parts{chosen, top, low, size, kept};
    co_return hstack(parts);
  });
  EXPECT_EQ(got.col(0), (of.x.array() < of.y.array()).select(2 * of.y, of.x));
  EXPECT_EQ(got.col(1), of.x.cwiseMax(of.y));
  EXPECT_EQ(got.col(2), of.x.cwiseMin(of.y));
  EXPECT_EQ(got.col(3), of.x.cwiseAbs());
  EXPECT_EQ(got.col(4), of.x.cwiseMax(-2).cwiseMin(3.5));
}

TEST(ErrorsStatistical, OrdersHaveNone) {
  constexpr Eigen::Index columns = 4;
  Matrix x = arguments(-16, 16, {0}, columns, 3);
  x.topRows(x.rows() / 2) = x.topRows(x.rows() / 2).array().round().matrix();
  x.row(0).setConstant(16);
  x.row(1).setConstant(-16);
  const Matrix got = computed(x, 16, [](Secret a) -> Task<Secret> {
    auto [place, largest, smallest, sorted, top, places] =
        co_await all(row_argmax(a), row_max(a), row_min(a), row_sort(a), row_top(a, 2), row_top_places(a, 2));
    const std::array<Secret, 6> parts{place, largest, smallest, sorted, top, places};
    co_return hstack(parts);
  });
  Matrix sorted = x;
  Matrix first_places = Matrix::Zero(x.rows(), columns);
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    std::array<Eigen::Index, columns> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return x(r, a) > x(r, b); });
    for (Eigen::Index c = 0; c < columns; ++c) sorted(r, c) = x(r, order[static_cast<std::size_t>(c)]);
    first_places(r, order[0]) = first_places(r, order[1]) = 1;
  }
  const auto place = got.leftCols(columns).array();
  EXPECT_TRUE((place * (1 - place) == 0).all());
  EXPECT_TRUE((place.rowwise().sum() == 1).all());
  EXPECT_EQ((place * x.array()).rowwise().sum().matrix(), sorted.col(0));
  EXPECT_EQ(got.col(columns), sorted.col(0));
  EXPECT_EQ(got.col(columns + 1), sorted.col(columns - 1));
  EXPECT_EQ(got.middleCols(columns + 2, columns), sorted);
  EXPECT_EQ(got.middleCols(2 * columns + 2, 2), sorted.leftCols(2));
  EXPECT_EQ(got.rightCols(columns), first_places);
}

TEST(ErrorsStatistical, ProductsAreOffByLessThanAUnit) {
  const Matrix x = arguments(-16, 16, {0}, 4, 4);
  const Matrix y = arguments(-16, 16, {0}, 4, 5);
  const Matrix got = computed(x, y, 16, [](Secret a, Secret b) -> Task<Secret> {
    auto [product, dots] = co_await all(a * b, row_dot(a, b));
    const std::array<Secret, 2> parts{product, dots};
    co_return hstack(parts);
  });
  Matrix want(x.rows(), 5);
  want << x.cwiseProduct(y), x.cwiseProduct(y).rowwise().sum();
  expect_close(got, want, absolute(unit));
  EXPECT_NEAR((got - want).mean(), 0, unit / 100);
}

TEST(ErrorsStatistical, MatrixProductsAreOffByLessThanAUnit) {
  const Matrix x = arguments(-4, 4, {0}, 16, 6);
  const Matrix w = arguments(-4, 4, {0}, 16, 7).topRows(16);
  const Matrix all_of_w = w.replicate(x.rows() / 16 + 1, 1).topRows(x.rows());
  const Matrix got = computed(x, all_of_w, 4, [](Secret a, Secret b) { return rounded(matmul(a, rows(b, 0, 16))); });
  expect_close(got, x * w, absolute(unit));
}

TEST(ErrorsStatistical, MeansKeepTheBitsOfTheirFactor) {
  const Matrix x = arguments(0, 16, {0}, 1, 8);
  for (const Eigen::Index count : {Eigen::Index{1}, Eigen::Index{3}, Eigen::Index{1000}, x.rows() - 17}) {
    const Matrix some = x.topRows(count);
    const Ran run = on_secret(some, 16, [](Secret a) { return at_once(mean(a)); });
    EXPECT_NEAR(run.numbers(0, 0), some.mean(), some.mean() * (count > 1000 ? 0x1p-16 : 0x1p-22) + 1e-12) << count;
  }
}

TEST(ErrorsStatistical, MeansOfRowsAndColumnsAreAsNear) {
  const Matrix x = arguments(0, 16, {0}, 7, 8).topRows(1000);
  const auto near = [](const Matrix& got, const Matrix& want) {
    ASSERT_EQ(got.size(), want.size());
    EXPECT_LE(((got - want).array().abs() / want.array()).maxCoeff(), 0x1p-22);
  };
  near(on_secret(x, 16, [](Secret a) { return at_once(row_means(a)); }).numbers, x.rowwise().mean());
  near(on_secret(x, 16, [](Secret a) { return at_once(column_means(a)); }).numbers, x.colwise().mean());
}

TEST(ErrorsStatistical, OfSigmoid) {
  const Matrix x = arguments(-16, 16, {-12, 0, 12}, 1, 9);
  expect_close(computed(x, 16, [](Secret a) { return sigmoid(std::move(a)); }), x.unaryExpr(&logistic),
               absolute(1.5e-5));
}

TEST(ErrorsStatistical, OfTanh) {
  const Matrix x = arguments(-10, 10, {-6, 0, 6}, 1, 10);
  expect_close(computed(x, 10, [](Secret a) { return tanh(std::move(a)); }), x.array().tanh().matrix(),
               absolute(2.5e-5));
}

TEST(ErrorsStatistical, OfExp) {
  const Matrix x = arguments(-16, 4, {-11.75, 0}, 1, 11);
  expect_close(computed(x, 16, [](Secret a) { return exp(std::move(a)); }), x.array().exp().matrix(),
               [](double want) { return 2e-5 * std::max(1.0, want); });
}

TEST(ErrorsStatistical, OfExpOfLargerArguments) {
  const Matrix x = arguments(-11, 8, {0, 4}, 1, 12);
  expect_close(computed(x, 11, [](Secret a) { return exp(std::move(a), 8); }), x.array().exp().matrix(),
               [](double want) { return 1e-4 * std::max(1.0, want); });
}

TEST(ErrorsStatistical, OfLog) {
  const Matrix x = arguments(0.015625, 16, powers_of_two(16), 1, 13);
  expect_close(computed(x, 16, [](Secret a) { return log(std::move(a), 0.015625); }), x.array().log().matrix(),
               absolute(1.5e-5));
}

TEST(ErrorsStatistical, OfReciprocals) {
  const Matrix x = arguments(0.02, 16, powers_of_two(16), 1, 14);
  expect_close(computed(x, 16, [](Secret a) { return reciprocal(std::move(a), 0.02); }), x.cwiseInverse(),
               relative(1.3e-5));
}

TEST(ErrorsStatistical, OfQuotients) {
  const Matrix x = arguments(-16, 16, {0}, 1, 15);
  const Matrix y = arguments(0.0625, 16, powers_of_two(16), 1, 16);
  expect_close(computed(x, y, 16, [](Secret a, Secret b) { return divide(std::move(a), std::move(b), 0.0625); }),
               x.cwiseQuotient(y), relative(1.4e-5, 3));
}

TEST(ErrorsStatistical, OfRoots) {
  const Matrix x = arguments(0, 16, powers_of_two(16), 1, 17);
  expect_close(computed(x, 16, [](Secret a) { return sqrt(std::move(a)); }), x.cwiseSqrt(), relative(1.3e-5));
}

TEST(ErrorsStatistical, OfInverseRoots) {
  const Matrix x = arguments(0.0625, 16, powers_of_two(16), 1, 18);
  expect_close(computed(x, 16, [](Secret a) { return inverse_sqrt(std::move(a), 0.0625); }),
               x.cwiseSqrt().cwiseInverse(), relative(1.3e-5));
}

TEST(ErrorsStatistical, OfSoftmax) {
  Matrix x = arguments(-8, 8, {0}, 8, 19);
  x.row(2).setConstant(8);
  Matrix want = x.array().exp().matrix();
  want.array().colwise() /= want.rowwise().sum().array().eval();
  expect_close(computed(x, 8, [](Secret a) { return row_softmax(std::move(a)); }), want, absolute(5e-5));
}

// The error of x^i, with i = a + b, is at most one unit plus the errors of x^a and x^b. In the result, the error of
// each power is multiplied by the power's coefficient.
TEST(ErrorsStatistical, OfPolynomials) {
  const std::vector<double> c{1, -2, 0.5, 0.25, 1};
  const double most = 2;
  const Matrix x = arguments(-most, most, {0}, 1, 20);
  const double square = unit;
  const double cube = unit + square * most;
  const double fourth = unit + 2 * square * most * most + square * square;
  const Matrix got = computed(x, most, [&c](Secret a) { return polynomial(std::move(a), c); });
  const Matrix want = x.unaryExpr([](double v) { return 1 + v * (-2 + v * (0.5 + v * (0.25 + v))); });
  expect_close(got, want, absolute(0.5 * square + 0.25 * cube + fourth));
}

TEST(ErrorsStatistical, OfACurveOfOnesOwn) {
  const Curve sine{[](double v) { return std::sin(v); }, -3, 3, -7, 7, 2e-5};
  const Matrix x = arguments(-4, 4, {-3, 0, 3}, 1, 21);
  const Matrix want = x.unaryExpr([](double v) { return v < -3 ? -7 : v > 3 ? 7 : std::sin(v); });
  expect_close(computed(x, 4, [&](Secret a) { return apply(std::move(a), sine); }), want, absolute(2e-5 + unit));
}

}  // namespace
}  // namespace sotto::testing
