// Example 3: linear regression of two companies. One company has five columns of each customer, the other has three
// columns and the target. Both companies learn the weights.
#include "apps/examples/example.h"

using namespace sotto;

constexpr std::size_t customers = 400;
constexpr int steps = 30;
constexpr double rate = 1.2;

static Task<Matrix> fit(Session& s, Matrix mine) {
  auto [left, right] = co_await all(s.input(0, {customers, 5}, mine, 4), s.input(1, {customers, 4}, mine, 8));
  const std::vector<Secret> features{left, columns(right, 0, 3)};
  const Secret x = hstack(features);
  const Secret y = columns(right, 3);
  // One round computes x'x and x'y. Each step of gradient descent then needs only this 8 x 8 matrix and this vector.
  auto [gram, target] =
      co_await all(matmul(transpose(x), x) * (1.0 / customers), matmul(transpose(x), y) * (1.0 / customers));
  Secret w = s.zeros({8, 1});
  for (int step = 0; step < steps; ++step) {
    Secret gradient = co_await (matmul(gram.within(2), w) - target.within(8));
    w = (w - rate * gradient).within(4);
  }
  co_return co_await s.reveal(w, "weights");
}

int main() {
  const Matrix x = Matrix::Random(customers, 8);
  const Matrix y = x * Matrix::Random(8, 1) + 0.1 * Matrix::Random(customers, 1);
  Matrix second(customers, 4);
  second << x.rightCols(3), y;
  const auto run = simulate({x.leftCols(5), second}, fit);
  Matrix w = Matrix::Zero(8, 1);
  for (int step = 0; step < steps; ++step) w -= rate / customers * (x.transpose() * (x * w - y));
  return compared(run, run.result(), w, 1e-3);
}
