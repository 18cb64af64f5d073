// Example 2: the average and the variance of the measurements of three hospitals, 100 numbers each.
#include "apps/examples/example.h"

using namespace sotto;

static Task<Matrix> statistics(Session& s, Matrix mine) {
  std::vector<Task<Secret>> inputs;
  for (std::size_t party = 0; party < s.parties(); ++party) inputs.push_back(s.input(party, {100, 1}, mine, 200));
  const std::vector<Secret> parts = co_await all(std::move(inputs));
  const Secret x = vstack(parts);
  const Secret deviation = x - mean(x);  // sends no message
  const Secret average = mean(x);
  Secret squares = co_await (deviation.within(200) * deviation.within(200));
  auto [first, second] = co_await all(s.reveal(average, "average"), s.reveal(mean(squares), "variance"));
  Matrix both(1, 2);
  both << first, second;
  co_return both;
}

int main() {
  const std::vector<Matrix> data{(Matrix::Random(100, 1).array() * 20 + 120).matrix(),
                                 (Matrix::Random(100, 1).array() * 30 + 100).matrix(),
                                 (Matrix::Random(100, 1).array() * 10 + 140).matrix()};
  const auto run = simulate(data, statistics);
  Matrix x(300, 1);
  x << data[0], data[1], data[2];
  Matrix plain(1, 2);
  plain << x.mean(), (x.array() - x.mean()).square().mean();
  std::printf("average %.3f, variance %.3f\n", run.result()(0), run.result()(1));
  return compared(run, run.result(), plain, 0.01);
}
