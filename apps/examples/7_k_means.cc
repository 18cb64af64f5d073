// Example 7: k-means over the customers of two companies, each with its own rows. Only the final centres are opened.
// Nobody learns to which centre a customer belongs.
#include "apps/examples/example.h"

using namespace sotto;

constexpr std::size_t rows_each = 60;
constexpr std::size_t clusters = 3;

static Task<Matrix> centres(Session& s, Matrix mine, Matrix start) {
  auto [a, b] = co_await all(s.input(0, {rows_each, 2}, mine, 4), s.input(1, {rows_each, 2}, mine, 4));
  const std::vector<Secret> parts{a, b};
  const Secret x = vstack(parts);
  Secret c = s.constant(start);
  for (int step = 0; step < 4; ++step) {
    // The centre c nearest to x has the largest x . c - |c|^2 / 2.
    auto [dots, sizes] = co_await all(matmul(x, transpose(c)), row_dot(c, c));
    Secret nearest = co_await row_argmax(dots - transpose(sizes) * 0.5);
    const Secret counts = transpose(column_sums(nearest));
    Secret sums = co_await matmul(transpose(nearest), x);
    c = (co_await divide(sums, counts + 0.01, 0.01)).within(4);
  }
  co_return co_await s.reveal(c, "centres");
}

static Matrix plain_centres(const Matrix& x, Matrix c) {
  for (int step = 0; step < 4; ++step) {
    Matrix sums = Matrix::Zero(clusters, 2);
    Matrix counts = Matrix::Constant(clusters, 1, 0.01);
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      Eigen::Index nearest = 0;
      (c.rowwise() - x.row(r)).rowwise().squaredNorm().minCoeff(&nearest);
      sums.row(nearest) += x.row(r);
      counts(nearest, 0) += 1;
    }
    c = (sums.array().colwise() / counts.col(0).array()).matrix();
  }
  return c;
}

int main() {
  Matrix start(clusters, 2);
  start << 2, 2, -2, 1, 0, -2;
  Matrix x = 0.8 * Matrix::Random(2 * rows_each, 2);
  for (Eigen::Index r = 0; r < x.rows(); ++r) x.row(r) += start.row(r % 3);
  const auto program = [&start](Session& s, Matrix mine) { return centres(s, std::move(mine), start); };
  const auto run = simulate({x.topRows(rows_each), x.bottomRows(rows_each)}, program);
  return compared(run, run.result(), plain_centres(x, start), 1e-3);
}
