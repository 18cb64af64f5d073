// Demonstration 3: no known context is needed where features are independent and not Gaussian.
//
// FastICA (Hyvarinen 1999, symmetric, contrast log cosh) finds the directions of R x in which the data are least
// Gaussian: the features, up to order and sign. An orthogonal R keeps lengths, so that their scale and mean come along.
// Features of one participant that depend on each other are found as the independent parts that they are made of;
// Gaussian ones are not found, nor are hundreds of features in a few thousand rows, whose mixtures look Gaussian at the
// start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::apps {

struct Unmixed {
  std::size_t components = 0;  // the dimensions in which the data vary
  std::vector<double> values;  // rows x components: features up to order and sign
  std::size_t iterations = 0;
  bool converged = false;
};

// `rotated` is rows x columns. The start is drawn from the seed.
[[nodiscard]] Unmixed fast_ica(std::span<const double> rotated, std::size_t rows, std::uint64_t seed);

// How well components match features, each with one of the other, the best matches first.
struct MatchReading {
  std::size_t matched = 0;
  double mean_correlation = 0;  // absolute values
  double least_correlation = 0;
  double rms_error = 0;  // of the matched features, in their own unit, signs turned
  // Of each match: the feature, the component, the sign that turns the component into the feature.
  struct Match {
    std::size_t feature = 0;
    std::size_t component = 0;
    double sign = 1;
    double correlation = 0;
  };
  std::vector<Match> matches;
};

// `truth` is rows x features; features that do not vary are left out.
[[nodiscard]] MatchReading match(const Unmixed& unmixed, std::span<const double> truth, std::size_t rows);

}  // namespace sotto::apps
