// Functions of secrets. Each comment states the range, the error, the rounds and the openings of its function.
// docs/guides/library.md has the rounds and bytes of all functions as formulas, from the planner.
//
// Rounds are counted for masked arguments with no more fraction bits than the session has. Any other argument is masked
// first, in one more round. Error bounds are absolute unless they are stated as relative. They hold at 20 fraction
// bits: each bit less doubles them. Nobody sees anything: all openings are uniform, for the reasons that the named
// protocols give.
//
// An entry outside the stated range gives a wrong number and reveals nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sotto/product.h"
#include "sotto/protocol/async/task.h"
#include "sotto/secret.h"

namespace sotto {

// Comparisons: exact. Results are bits, 0 or 1, without fraction bits. include/sotto/protocol/compare/below_zero.h

// [x < y]. 1 round.
[[nodiscard]] Task<Secret> less(Secret x, Secret y);
[[nodiscard]] Task<Secret> less(Secret x, double y);
[[nodiscard]] Task<Secret> less(double x, Secret y);
// [x = y], compared at their fraction bits. 1 round.
[[nodiscard]] Task<Secret> equal(Secret x, Secret y);

// Choices: exact. ----------------------------------------------------------------------------------------------------

// x where the bit is 1, and y where the bit is 0. 1 round, in which the bit is masked.
[[nodiscard]] Task<Secret> select(Secret bit, Secret x, Secret y);
// Entry by entry. 2 rounds.
[[nodiscard]] Task<Secret> max(Secret x, Secret y);
[[nodiscard]] Task<Secret> min(Secret x, Secret y);
[[nodiscard]] Task<Secret> abs(Secret x);
// Entries below `least` become `least`, and entries above `most` become `most`. 2 rounds.
[[nodiscard]] Task<Secret> clamp(Secret x, double least, double most);

// Orders of the entries of each row: exact. --------------------------------------------------------------------------

// 1 in the column of the largest entry, and 0 in all others. Among equal entries a random one wins. 2 rounds, or 7 for
// more than 64 columns. include/sotto/protocol/compare/argmax.h
[[nodiscard]] Task<Secret> row_argmax(Secret x);
// The largest and the smallest entry of each row, as a column. One round more than row_argmax, to mask the argmax.
[[nodiscard]] Task<Secret> row_max(Secret x);
[[nodiscard]] Task<Secret> row_min(Secret x);
// The entries of each row in descending order. 3 rounds for any number n of columns, up to 256. For each row the dealer
// deals n (n - 1) / 2 comparisons and n^2 tables, or n k for row_top. A table has at least n entries, a power of two.
// include/sotto/protocol/compare/ranks.h
[[nodiscard]] Task<Secret> row_sort(Secret x);
// The k largest entries of each row, in descending order. 3 rounds.
[[nodiscard]] Task<Secret> row_top(Secret x, std::size_t k);
// 1 where an entry is among the k largest, and 0 elsewhere. Among equal entries the first counts as larger. 2 rounds.
[[nodiscard]] Task<Secret> row_top_places(Secret x, std::size_t k);

// Division and roots. include/sotto/protocol/math/leading_bit.h, include/sotto/protocol/math/pieces.h

// 1 / y for `least` <= y <= y.bound(): y must be positive, and its smallest size `least` is public. Relative error
// 1.3e-5, plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> reciprocal(Secret y, double least);
// x / y, entry by entry; a single row, column or entry of y serves all entries of x. The bound of the result is the
// bound of x divided by `least`: narrow it with within() if you know a smaller one. Relative error 1.4e-5, plus three
// units of the last bit. 6 rounds, or 7 where x has so few fraction bits that its multiples need no rounding.
[[nodiscard]] Task<Secret> divide(Secret x, Secret y, double least);
// The square root of x >= 0. Relative error 1.3e-5, plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> sqrt(Secret x);
// 1 / sqrt(x) for `least` <= x. The errors are those of reciprocal. 6 rounds.
[[nodiscard]] Task<Secret> inverse_sqrt(Secret x, double least);

// Logarithm, exponential and functions made of them. include/sotto/protocol/math/pieces.h

// The natural logarithm for `least` <= x. Error 1.5e-5. 5 rounds.
[[nodiscard]] Task<Secret> log(Secret x, double least);
// The exponential of x, which is at most `most`; `most` is -8 to 8. x may be as far below 0 as its bound allows: below
// -11.75 the result is 0. The error is 2e-5 max(1, exp(x)), or 1e-4 max(1, exp(x)) where `most` is above 4. 2 rounds,
// or 3 where the bound of x is above 11.75.
[[nodiscard]] Task<Secret> exp(Secret x, double most = 4);
// 1 / (1 + exp(-x)) with an error of 1.5e-5, and tanh(x) with an error of 2.5e-5. 2 rounds, or 3 where the bound of x
// is above 12 (sigmoid) or above 6 (tanh).
[[nodiscard]] Task<Secret> sigmoid(Secret x);
[[nodiscard]] Task<Secret> tanh(Secret x);
// exp(x_j) divided by the sum of exp(x_k), in each row. Error 5e-5. 13 rounds, or 15 where the bound of x is above 6.
[[nodiscard]] Task<Secret> row_softmax(Secret x);

// Functions of your own. ---------------------------------------------------------------------------------------------

// c[0] + c[1] x + c[2] x^2 + ... The degree is at most 16. Each doubling of the degree takes a round: degree 4 takes 2.
//
// The error is at most the sum, over all powers, of the power's error times the size of its coefficient. A coefficient
// keeps 12 to 22 significant bits. A power i = a + b is off by a unit of the session's last bit. Added to this are
// |x|^a times the error of the power b, and |x|^b times the error of the power a.
[[nodiscard]] Task<Secret> polynomial(Secret x, std::vector<double> coefficients);

// Any smooth function of one number, by parabolas between `least` and `most`, and constant outside. 2 rounds, and one
// more where the bound of x is beyond [least, most].
struct Curve {
  std::function<double(double)> f;
  double least;
  double most;
  double below = 0;  // the value left of `least`
  double above = 0;  // the value right of `most`
  double error = 1e-5;
};
// The error is at most curve.error max(1, |f|), plus one unit of the last bit of x times the slope. Throws
// std::invalid_argument where no table of 2^12 pieces is that accurate, or where the values of f are not finite.
[[nodiscard]] Task<Secret> apply(Secret x, Curve curve);

}  // namespace sotto
