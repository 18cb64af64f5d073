// Functions of secrets. Each comment states the range, the error, the rounds and the openings of its function.
// docs/guides/library.md has the rounds and bytes of all functions as formulas, from the planner.
//
// Rounds are counted for masked arguments with no more fraction bits than the session has. An argument that is not
// masked, or has more fraction bits than the session, is masked first, in one more round. Error bounds are absolute
// unless they are stated as relative. The error bounds hold at 20 fraction bits: each bit less doubles the bounds. No
// role learns anything about the secrets: all openings are uniform, for the reasons that the headers of the named
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

// Comparisons. All comparisons are exact. Results are bits, 0 or 1, without fraction bits.
// include/sotto/protocol/compare/below_zero.h

// [x < y]. 1 round.
[[nodiscard]] Task<Secret> less(Secret x, Secret y);
[[nodiscard]] Task<Secret> less(Secret x, double y);
[[nodiscard]] Task<Secret> less(double x, Secret y);
// [x = y], compared with all fraction bits of x and y. 1 round.
[[nodiscard]] Task<Secret> equal(Secret x, Secret y);

// Choices; all results are exact. ------------------------------------------------------------------------------------

// x where the bit is 1, and y where the bit is 0. 1 round, in which the bit is masked.
[[nodiscard]] Task<Secret> select(Secret bit, Secret x, Secret y);
// max, min and abs work entry by entry. 2 rounds.
[[nodiscard]] Task<Secret> max(Secret x, Secret y);
[[nodiscard]] Task<Secret> min(Secret x, Secret y);
[[nodiscard]] Task<Secret> abs(Secret x);
// Entries below `least` become `least`, and entries above `most` become `most`. 2 rounds.
[[nodiscard]] Task<Secret> clamp(Secret x, double least, double most);

// The order of the entries in each row; all results are exact. -------------------------------------------------------

// Returns for each row: 1 in the column of the largest entry, and 0 in all other columns. If several entries are
// largest, a random one of these entries gets the 1. 2 rounds, or 7 for more than 64 columns.
// include/sotto/protocol/compare/argmax.h
[[nodiscard]] Task<Secret> row_argmax(Secret x);
// row_max returns a column with the largest entry of each row, and row_min a column with the smallest entry of each
// row. Both take one round more than row_argmax, to mask the argmax.
[[nodiscard]] Task<Secret> row_max(Secret x);
[[nodiscard]] Task<Secret> row_min(Secret x);
// The entries of each row in descending order. 3 rounds for any number n of columns, up to 256. For each row the dealer
// deals n (n - 1) / 2 comparisons and n^2 tables (row_top: n k tables). The number of entries of a table is the
// smallest power of two that is at least n. include/sotto/protocol/compare/ranks.h
[[nodiscard]] Task<Secret> row_sort(Secret x);
// The k largest entries of each row, in descending order. 3 rounds.
[[nodiscard]] Task<Secret> row_top(Secret x, std::size_t k);
// 1 where an entry is among the k largest entries of its row, else 0. The first of two equal entries counts as the
// larger. 2 rounds.
[[nodiscard]] Task<Secret> row_top_places(Secret x, std::size_t k);

// Division and roots. include/sotto/protocol/math/leading_bit.h, include/sotto/protocol/math/pieces.h

// 1 / y for `least` <= y <= y.bound(): y must be positive, and its lower limit `least` is public. Relative error
// 1.3e-5, plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> reciprocal(Secret y, double least);
// x / y, entry by entry; if y has a single row, column or entry, it is used for every row, column or entry of x. The
// bound of the result is the bound of x divided by `least`. If you know a smaller bound of the result, state this bound
// with within(). Relative error 1.4e-5, plus three units of the last bit. 6 rounds, or 7 if x has so few fraction bits
// that multiples of x need no rounding.
[[nodiscard]] Task<Secret> divide(Secret x, Secret y, double least);
// The square root of x >= 0. Relative error 1.3e-5, plus two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> sqrt(Secret x);
// 1 / sqrt(x) for `least` <= x. The error is the same as that of reciprocal(). 6 rounds.
[[nodiscard]] Task<Secret> inverse_sqrt(Secret x, double least);

// Logarithm, exponential and functions made of them. include/sotto/protocol/math/pieces.h

// The natural logarithm for `least` <= x. Error 1.5e-5. 5 rounds.
[[nodiscard]] Task<Secret> log(Secret x, double least);
// The exponential of x, for x <= `most`. `most` must be from -8 to 8. A negative x may be as large as its bound allows:
// the result is 0 if x is below -11.75. The error is 2e-5 max(1, exp(x)), or 1e-4 max(1, exp(x)) if `most` is above 4.
// 2 rounds, or 3 if the bound of x is above 11.75.
[[nodiscard]] Task<Secret> exp(Secret x, double most = 4);
// 1 / (1 + exp(-x)) with an error of 1.5e-5, and tanh(x) with an error of 2.5e-5. Takes 2 rounds, or 3 if the bound of
// x is above 12 (sigmoid) or above 6 (tanh).
[[nodiscard]] Task<Secret> sigmoid(Secret x);
[[nodiscard]] Task<Secret> tanh(Secret x);
// exp(x_j) divided by the sum of exp(x_k), in each row. Error 5e-5. 13 rounds, or 15 if the bound of x is above 6.
[[nodiscard]] Task<Secret> row_softmax(Secret x);

// Functions of your own. ---------------------------------------------------------------------------------------------

// c[0] + c[1] x + c[2] x^2 + ... The degree is at most 16. Each doubling of the degree takes a round: degree 4 takes 2
// rounds.
//
// The error is at most the sum, over all powers, of the power's error times the size of its coefficient. Each
// coefficient is rounded to 12 to 22 significant bits. The power x^i is the product of x^a and x^b, with i = a + b. The
// error of x^i is the sum of one unit of the session's last bit, |x|^a times the error of x^b, and |x|^b times the
// error of x^a.
[[nodiscard]] Task<Secret> polynomial(Secret x, std::vector<double> coefficients);

// Any smooth function of one number, computed by parabolas between `least` and `most`, and by constants outside this
// range. Takes 2 rounds, and one more if the bound of x goes beyond [least, most].
struct Curve {
  std::function<double(double)> f;
  double least;
  double most;
  double below = 0;  // the result for x below `least`
  double above = 0;  // the result for x above `most`
  double error = 1e-5;
};
// The error is at most curve.error max(1, |f|), plus the slope of f times one unit of the last bit of x. Throws
// std::invalid_argument if no table of 2^12 pieces has so small an error, or if the values of f are not finite.
[[nodiscard]] Task<Secret> apply(Secret x, Curve curve);

}  // namespace sotto
