// Functions of secrets. docs/guides/library.md lists the rounds and bytes of each function as formulas.
//
// The stated rounds hold for masked arguments with at most as many fraction bits as the session has. Other arguments
// need one more round. The stated error bounds hold at 20 fraction bits. Each bit less doubles the error bounds. No
// role learns anything about the secrets. Comparisons, choices and sorting are exact. If an entry is outside the stated
// range, the result is a wrong number, but nothing is revealed.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sotto/product.h"
#include "sotto/protocol/async/task.h"
#include "sotto/secret.h"

namespace sotto {

// 1 if x < y, else 0. 1 round.
[[nodiscard]] Task<Secret> less(Secret x, Secret y);
[[nodiscard]] Task<Secret> less(Secret x, double y);
[[nodiscard]] Task<Secret> less(double x, Secret y);
// 1 if x and y are equal in all fraction bits, else 0. 1 round.
[[nodiscard]] Task<Secret> equal(Secret x, Secret y);

// x where the bit is 1, and y where the bit is 0. 1 round.
[[nodiscard]] Task<Secret> select(Secret bit, Secret x, Secret y);
// The larger of the two entries at each place. 2 rounds.
[[nodiscard]] Task<Secret> max(Secret x, Secret y);
[[nodiscard]] Task<Secret> min(Secret x, Secret y);
[[nodiscard]] Task<Secret> abs(Secret x);
// Entries below `least` become `least`, and entries above `most` become `most`. 2 rounds.
[[nodiscard]] Task<Secret> clamp(Secret x, double least, double most);

// The one-hot of the largest entry of each row. Among several largest entries, a random one is chosen. 2 rounds, or 7
// for more than 64 columns.
[[nodiscard]] Task<Secret> row_argmax(Secret x);
// The largest or smallest entry of each row, as a column, in one round more than row_argmax.
[[nodiscard]] Task<Secret> row_max(Secret x);
[[nodiscard]] Task<Secret> row_min(Secret x);
// The entries of each row in descending order, for n <= 256 columns. 3 rounds. For each row, the dealer deals n (n - 1)
// / 2 comparisons and n^2 tables. In row_top(x, k), the dealer deals n k tables in place of n^2.
[[nodiscard]] Task<Secret> row_sort(Secret x);
// The k largest entries of each row, in descending order. 3 rounds.
[[nodiscard]] Task<Secret> row_top(Secret x, std::size_t k);
// 1 where an entry is among the k largest of its row, else 0. The first of two equal entries counts as larger. 2
// rounds.
[[nodiscard]] Task<Secret> row_top_places(Secret x, std::size_t k);

// 1 / y for 0 < `least` <= y <= y.bound(), with a relative error of 1.3e-5 plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> reciprocal(Secret y, double least);
// x / y for y >= `least` > 0, entry by entry. A single row, column or entry of y is repeated. The bound of the result
// is the bound of x divided by `least`; call within() to state a smaller bound. The relative error is at most 1.4e-5,
// plus three units of the last bit. The function first multiplies x by a power of two. If x has too few fraction bits
// to round this product, divide() takes 7 rounds, otherwise 6.
[[nodiscard]] Task<Secret> divide(Secret x, Secret y, double least);
// The square root of x >= 0, with a relative error of 1.3e-5 plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> sqrt(Secret x);
// 1 / sqrt(x) for `least` <= x, with the error of reciprocal(). 6 rounds.
[[nodiscard]] Task<Secret> inverse_sqrt(Secret x, double least);

// The natural logarithm for `least` <= x, with an error of 1.5e-5. 5 rounds.
[[nodiscard]] Task<Secret> log(Secret x, double least);
// The exponential of x <= `most`, for -8 <= `most` <= 8; 0 for x below -11.75. The error is at most 2e-5 max(1,
// exp(x)), or 1e-4 max(1, exp(x)) if `most` is above 4. 2 rounds, or 3 if the bound of x is above 11.75.
[[nodiscard]] Task<Secret> exp(Secret x, double most = 4);
// 1 / (1 + exp(-x)), with an error of at most 1.5e-5, and tanh(x), with an error of at most 2.5e-5. 2 rounds, or 3 if
// the bound of x is above 12 (sigmoid) or 6 (tanh).
[[nodiscard]] Task<Secret> sigmoid(Secret x);
[[nodiscard]] Task<Secret> tanh(Secret x);
// In each row, exp(x_j) divided by the sum of exp(x_k) over all entries x_k of the row, with an error of at most 5e-5.
// 13 rounds, or 15 if the bound of x is above 6.
[[nodiscard]] Task<Secret> row_softmax(Secret x);

// c[0] + c[1] x + c[2] x^2 + ..., of degree at most 16. A polynomial of degree n >= 1 takes ceil(log2 n) rounds.
//
// Each coefficient is rounded to as many significant bits as fit, from 12 to 22. The error of the result is at most the
// sum over i of |c[i]| times the error of x^i. The power x^i is computed as x^a x^b with i = a + b. The error of x^i is
// one unit of the session's last bit, plus |x|^a times the error of x^b, plus |x|^b times the error of x^a.
[[nodiscard]] Task<Secret> polynomial(Secret x, std::vector<double> coefficients);

// A smooth function f of one number. Parabolas approximate f between `least` and `most`. The constant `below` replaces
// f below `least`, and the constant `above` replaces f above `most`. apply() takes 2 rounds, or 3 if the bound of x
// allows entries outside [least, most].
struct Curve {
  std::function<double(double)> f;
  double least;
  double most;
  double below = 0;
  double above = 0;
  double error = 1e-5;
};
// The error is at most curve.error max(1, |f|), plus the slope of f times one unit of the last bit of x. Throws
// std::invalid_argument if no table of 2^12 pieces has so small an error, or if the values of f are not finite.
[[nodiscard]] Task<Secret> apply(Secret x, Curve curve);

}  // namespace sotto
