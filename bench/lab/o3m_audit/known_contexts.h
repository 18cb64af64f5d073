// Demonstration 2: known contexts undo the mask.
//
// The active participant knows Q^0 and its own features, so of n = d - d_0 unknown columns of the mask it sees an
// orthogonal n x n matrix R in R x. Contexts of others that it knows (its own customers, or itself as a user) give R x
// for known x: n independent ones give R, n - 1 give R but for one reflection, and fewer give all of x that lies in
// their span.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sotto/bench/lab/o3m_audit/view.h"

namespace sotto::apps {

// Errors of the others' features of all rows, in the features' own unit.
struct RecoveryReading {
  std::size_t known = 0;                      // contexts, linearly independent
  double largest_error = 0;                   // with one less than all known: with the better of the two signs
  double rms_error = 0;                       // root of the mean square
  double relative_error = 0;                  // of the whole matrix of features, in Frobenius' norm
  std::optional<double> rms_with_other_sign;  // with one less than all known

  static void describe(auto& self, auto&& field) {
    field("known", self.known);
    field("largest_error", self.largest_error);
    field("rms_error", self.rms_error);
    field("relative_error", self.relative_error);
    field.unless_empty("rms_error_with_other_sign", self.rms_with_other_sign);
  }
};

// Rows of `others` (rows x columns) that are linearly independent, the first ones, as many as there are or `most`.
[[nodiscard]] std::vector<std::size_t> independent_rows(std::span<const double> others, std::size_t rows,
                                                        std::size_t most);

// Recovers the features of all rows from those of the rows `known`. `others` is the truth, of which the recovery reads
// the rows `known` alone.
[[nodiscard]] RecoveryReading recover_from_known(const ActiveView& view, std::span<const double> others,
                                                 std::span<const std::size_t> known);

// The comparison: the mean of the rows `known` as a guess of every row.
[[nodiscard]] RecoveryReading guess_mean(std::span<const double> others, std::size_t rows,
                                         std::span<const std::size_t> known);

// With Q whole: the largest error of all features of all rows.
[[nodiscard]] double error_with_mask(const ActiveView& view, std::span<const double> mask,
                                     std::span<const double> contexts);

}  // namespace sotto::apps
