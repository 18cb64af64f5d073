// Example 5: the five largest sales of two shops together. Nobody learns whose sales these were.
#include <algorithm>

#include "apps/examples/example.h"

using namespace sotto;

static Task<Matrix> largest_five(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {1, 12}, mine, 1e4), s.input(1, {1, 12}, mine, 1e4));
  const std::vector<Secret> both{x, y};
  Secret top = co_await row_top(hstack(both), 5);
  co_return co_await s.reveal(top, "the five largest");
}

int main() {
  const Matrix x = (Matrix::Random(1, 12).array().abs() * 9000).round().matrix();
  const Matrix y = (Matrix::Random(1, 12).array().abs() * 9000).round().matrix();
  const auto run = simulate({x, y}, largest_five);
  Matrix plain(1, 24);
  plain << x, y;
  std::sort(plain.data(), plain.data() + 24, std::greater<>());
  return compared(run, run.result(), plain.leftCols(5), 0);
}
