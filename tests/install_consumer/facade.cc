#include <cstdio>

#include "sotto/sotto.h"

namespace {

using namespace sotto;

constexpr std::size_t people = 50;

Task<Matrix> fit(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {people, 2}, mine, 4), s.input(1, {people, 1}, mine, 1));
  Secret w = s.zeros({2, 1});
  for (int epoch = 0; epoch < 3; ++epoch) {
    Secret p = co_await sigmoid(co_await matmul(x, w));
    w = (w - (co_await matmul(transpose(x), p - y)) * (2.0 / people)).within(8);
  }
  co_return co_await s.reveal(w, "weights");
}

Matrix plain_fit(const Matrix& x, const Matrix& y) {
  Matrix w = Matrix::Zero(2, 1);
  for (int epoch = 0; epoch < 3; ++epoch) {
    const Matrix p = (1 / (1 + (-(x * w).array()).exp())).matrix();
    w -= 2.0 / people * (x.transpose() * (p - y));
  }
  return w;
}

}  // namespace

int main() {
  const Matrix x = Matrix::Random(people, 2);
  const Matrix y = (x.rowwise().sum().array() > 0).cast<double>().matrix();
  const auto run = simulate({x, y}, fit);
  const auto by_themselves = simulate({x, y}, fit, {.preprocessing = RandomnessBy::ot});
  const auto error = [&](const Matrix& w) { return (w - plain_fit(x, y)).cwiseAbs().maxCoeff(); };
  const bool right = error(run.result()) < 1e-3 && error(by_themselves.result()) < 1e-3 && run.opened.size() == 1 &&
                     by_themselves.rounds == plan(2, fit, {.preprocessing = RandomnessBy::ot}).rounds;
  std::puts(right ? run.in_short().c_str() : "the installed sotto computes something else");
  return right ? 0 : 1;
}
