#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "sotto/functions.h"
#include "sotto/simulate.h"
#include "tests/framework.h"

namespace sotto::testing {

constexpr double unit = 0x1p-20;  // the value of the last of 20 fraction bits

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

using OnSecret = std::function<Task<Secret>(Secret)>;
using OnSecrets = std::function<Task<Secret>(Secret, Secret)>;

inline Matrix random_matrix(std::size_t rows, std::size_t columns, double size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Matrix result(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < result.size(); ++i) result.data()[i] = uniform(random);
  return result;
}

inline Matrix numbers(double least, double most, std::size_t count, unsigned seed) {
  Matrix x = (random_matrix(count, 1, 1, seed).array() * ((most - least) / 2) + (most + least) / 2).matrix();
  x(0, 0) = least;
  x(1, 0) = most;
  return x;
}

// The function error_of returns the largest error of an entry. If the wanted entry is above 1 in size, the error is
// divided by this size. The function relative_error_of subtracts 2^-18 from each error, divides by the size of the
// wanted entry, and returns the largest result.
inline double error_of(const Matrix& got, const Matrix& want) {
  return ((got - want).array().abs() / want.array().abs().max(1.0)).maxCoeff();
}
inline double relative_error_of(const Matrix& got, const Matrix& want) {
  return (((got - want).array().abs() - std::ldexp(1.0, -18)) / want.array().abs()).maxCoeff();
}

inline Task<Matrix> of_one(Session& s, Matrix mine, Shape shape, double bound, const OnSecret& f) {
  Secret x = co_await s.input(0, shape, mine, bound);
  Secret y = co_await f(std::move(x));
  co_return co_await s.reveal(std::move(y));
}

inline Task<Matrix> of_two(Session& s, Matrix mine, Shape first, Shape second, double bound, const OnSecrets& f) {
  auto [x, y] = co_await all(s.input(0, first, mine, bound), s.input(1, second, mine, bound));
  Secret z = co_await f(std::move(x), std::move(y));
  co_return co_await s.reveal(std::move(z));
}

// The results of a run. ran() checks that all parties get the same numbers, and that the run costs as much as the plan
// says. `rounds` does not include the rounds of input and opening.
struct Ran {
  Matrix numbers;
  std::uint64_t rounds;
};
template <class Program>
Ran ran(std::vector<Matrix> inputs, const Program& program, SessionOptions options = {}) {
  const std::size_t parties = inputs.size();
  const auto run = simulate(inputs, program, options);
  const RunCost planned = plan(parties, program, options);
  EXPECT_EQ(planned.rounds, run.rounds);
  EXPECT_EQ(planned.bytes, run.bytes);
  EXPECT_EQ(planned.dealt, run.dealt);
  EXPECT_EQ(planned.ledger.total(), run.ledger.total());
  for (std::size_t p = 1; p < parties; ++p) EXPECT_TRUE(run.result(p).isApprox(run.result(0), 0)) << "party " << p;
  return {run.result(0), run.rounds - 2};
}

inline Ran on_secret(const Matrix& x, double bound, const OnSecret& f, std::size_t parties = 2,
                     SessionOptions options = {}) {
  std::vector<Matrix> inputs(parties);
  inputs[0] = x;
  const Shape shape = shape_of(x);
  return ran(
      std::move(inputs), [&f, shape, bound](Session& s, Matrix mine) { return of_one(s, mine, shape, bound, f); },
      options);
}

inline Ran on_secrets(const Matrix& x, const Matrix& y, double bound, const OnSecrets& f, std::size_t parties = 2,
                      SessionOptions options = {}) {
  std::vector<Matrix> inputs(parties);
  inputs[0] = x;
  inputs[1] = y;
  const Shape first = shape_of(x);
  const Shape second = shape_of(y);
  return ran(
      std::move(inputs),
      [&f, first, second, bound](Session& s, Matrix mine) { return of_two(s, mine, first, second, bound, f); },
      options);
}

inline Task<Secret> at_once(Secret x) { co_return x; }

inline double largest_difference(const Matrix& x, const Matrix& y) {
  EXPECT_EQ(x.rows(), y.rows());
  EXPECT_EQ(x.cols(), y.cols());
  return (x - y).cwiseAbs().maxCoeff();
}

}  // namespace sotto::testing
