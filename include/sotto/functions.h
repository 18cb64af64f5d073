// Functions of secrets. Each says its range, its error, its rounds and what it opens; docs/library.md has rounds and
// bytes of all as formulas, from the planner. Rounds count from masked arguments of no more fraction bits than the
// session's; what is otherwise is masked first, one round more. Error bounds are absolute, unless they say relative,
// and those at 20 fraction bits: each bit less doubles them. Nobody sees anything: all openings are uniform (the
// protocols that each names say why).
//
// Entries outside the stated range give wrong numbers, and tell nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sotto/product.h"
#include "sotto/protocol/async/task.h"
#include "sotto/secret.h"

namespace sotto {

// Comparisons: exact. Bits, 0 or 1, without fraction bits. include/sotto/protocol/compare/below_zero.h
// -------------------------------

// [x < y]. 1 round.
[[nodiscard]] Task<Secret> less(Secret x, Secret y);
[[nodiscard]] Task<Secret> less(Secret x, double y);
[[nodiscard]] Task<Secret> less(double x, Secret y);
// [x = y] as they are at their fraction bits. 1 round.
[[nodiscard]] Task<Secret> equal(Secret x, Secret y);

// Choices: exact.
// ------------------------------------------------------------------------------------------------------

// x where the bit is 1, y where it is 0. 1 round, in which the bit is masked.
[[nodiscard]] Task<Secret> select(Secret bit, Secret x, Secret y);
// Entry by entry. 2 rounds.
[[nodiscard]] Task<Secret> max(Secret x, Secret y);
[[nodiscard]] Task<Secret> min(Secret x, Secret y);
[[nodiscard]] Task<Secret> abs(Secret x);
// Entries below `least` and above `most` are replaced by these. 2 rounds.
[[nodiscard]] Task<Secret> clamp(Secret x, double least, double most);

// Orders, of each row: exact.
// ------------------------------------------------------------------------------------------

// 1 in the column of the largest entry, 0 in the others; of equal ones a random one. 2 rounds; 7 of more than 64
// columns. include/sotto/protocol/compare/argmax.h
[[nodiscard]] Task<Secret> row_argmax(Secret x);
// A column. One round more, in which the argmax is masked.
[[nodiscard]] Task<Secret> row_max(Secret x);
[[nodiscard]] Task<Secret> row_min(Secret x);
// Descending. 3 rounds for any number of columns, up to 256; dealt are columns^2 comparisons and columns^2 k tables of
// as many entries as there are columns. include/sotto/protocol/compare/ranks.h
[[nodiscard]] Task<Secret> row_sort(Secret x);
// The k largest, descending. 3 rounds.
[[nodiscard]] Task<Secret> row_top(Secret x, std::size_t k);
// 1 where an entry is among the k largest, 0 elsewhere; of equal ones the first. 2 rounds.
[[nodiscard]] Task<Secret> row_top_places(Secret x, std::size_t k);

// Division and roots. include/sotto/protocol/math/leading_bit.h, include/sotto/protocol/math/pieces.h
// -------------------------------------------

// For `least` <= y <= y.bound(): y must be positive, and its smallest size is public. Relative error 1.3e-5, and two
// units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> reciprocal(Secret y, double least);
// x / y, entry by entry; a single row, column or entry of y serves all. The bound is that of x over `least`: narrow it
// with within() where you know better. Relative error 1.4e-5, and three units of the last bit. 6 rounds, 7 where x has
// so few fraction bits that its multiples need no rounding.
[[nodiscard]] Task<Secret> divide(Secret x, Secret y, double least);
// For x >= 0. Relative error 1.3e-5, and two units of the last bit. 6 rounds.
[[nodiscard]] Task<Secret> sqrt(Secret x);
// 1 / sqrt(x) for `least` <= x. Errors as reciprocal; 6 rounds.
[[nodiscard]] Task<Secret> inverse_sqrt(Secret x, double least);

// Logarithm, exponential and what is made of it. include/sotto/protocol/math/pieces.h
// ------------------------------------------------

// The natural logarithm for `least` <= x. Error 1.5e-5. 5 rounds.
[[nodiscard]] Task<Secret> log(Secret x, double least);
// For x of at most `most`, which is -8 to 8, and as far below 0 as the bound of x goes: below -11.75 it is 0. Error
// 2e-5 max(1, exp(x)); 1e-4 max(1, exp(x)) where `most` is above 4. 2 rounds; 3 where the bound of x is above 11.75.
[[nodiscard]] Task<Secret> exp(Secret x, double most = 4);
// 1 / (1 + exp(-x)), error 1.5e-5, and tanh, error 2.5e-5. 2 rounds; 3 where the bound of x is above 12 (of tanh 6).
[[nodiscard]] Task<Secret> sigmoid(Secret x);
[[nodiscard]] Task<Secret> tanh(Secret x);
// exp(x_j) / the sum of exp(x_k), of each row. Error 5e-5. 13 rounds; 15 where the bound of x is above 6.
[[nodiscard]] Task<Secret> row_softmax(Secret x);

// Of one's own.
// --------------------------------------------------------------------------------------------------------

// c[0] + c[1] x + c[2] x^2 + ...; the degree is at most 16. As many rounds as the degree has doublings: 2 for 4. Error:
// that of each power times its coefficient, which keeps 12 to 22 significant bits. A power i = a + b is off by a unit
// of the session's last bit, and by |x|^a times the error of the power b, and |x|^b times that of a.
[[nodiscard]] Task<Secret> polynomial(Secret x, std::vector<double> coefficients);

// Any smooth function of one number between `least` and `most`, by parabolas; outside, the constants. 2 rounds, and one
// more where the bound of x is beyond [least, most].
struct Curve {
  std::function<double(double)> f;
  double least;
  double most;
  double below = 0;  // the value left of `least`
  double above = 0;  // and right of `most`
  double error = 1e-5;
};
// The error is at most curve.error max(1, |f|), and one unit of the last bit of x times the slope. Throws
// std::invalid_argument where no table of 2^12 pieces comes as close, or the values are not finite.
[[nodiscard]] Task<Secret> apply(Secret x, Curve curve);

}  // namespace sotto
