// Random orthogonal matrices: the mask of O3M.
//
// Q is distributed by Haar's measure, the uniform one: QR of a matrix of independent normal entries, each column of Q
// multiplied by the sign of R's diagonal, without which QR algorithms favour some signs (Mezzadri 2007, "How to
// generate random matrices from the classical compact groups"). Row-major d x d; Q' Q = I but for 1e-13. The seed gives
// Q. d = 0 is
// std::invalid_argument.
#pragma once

#include <cstddef>
#include <vector>

namespace sotto {
class Seed;
}

namespace sotto::apps {

// Expanded from the seed: the same on every machine but for rounding.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d, const Seed& seed);

// From fresh randomness of the operating system. Throws ResourceError where that gives none.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d);

}  // namespace sotto::apps
