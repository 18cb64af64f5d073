// What the active participant computes out of its view of an O3M run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/lab/o3m_audit/view.h"

namespace sotto::apps::lab {

// The others' part of what is masked (without_own), in coordinates of the space orthogonal to Q^0, rows x others(): an
// orthogonal matrix times the others' features.
[[nodiscard]] std::vector<double> others_rotated(const ActiveView& view);

// Demonstration 1: the geometry of contexts passes through any orthogonal mask. Norms, distances, inner products and
// duplicates are read off masked contexts and compared with the true ones.

// Errors are the largest over all rows, or all pairs of the first rows (at most 1000).
struct GeometryReading {
  std::string whose;
  double norm_error = 0;
  double inner_product_error = 0;
  double distance_error = 0;
  std::size_t duplicates = 0;        // rows that equal an earlier one
  std::size_t duplicates_found = 0;  // rows that look so behind the mask
  bool same_duplicates = false;      // they are the same rows

  static void describe(auto& self, auto&& field) {
    field("of", self.whose);
    field("norm_error", self.norm_error);
    field("inner_product_error", self.inner_product_error);
    field("distance_error", self.distance_error);
    field("duplicates", self.duplicates);
    field("duplicates_found", self.duplicates_found);
    field("same_duplicates", self.same_duplicates);
  }
};

// `masked` is rows x masked_columns, `truth` rows x true_columns.
[[nodiscard]] GeometryReading read_geometry(const std::string& whose, std::span<const double> masked,
                                            std::span<const double> truth, std::size_t rows);

// What secure summation changes: the norms of one passive participant's contexts, as the active participant can compute
// them from what that one sends.
struct SumReading {
  std::size_t participant = 0;
  double block_norm_error = 0;   // largest, from the block that --insecure-blocks sends
  double block_correlation = 0;  // of the norms computed with the true ones
  double sum_correlation = 0;    // the same, from the words that secure summation sends

  static void describe(auto& self, auto&& field) {
    field("passive_participant", self.participant);
    field("insecure_blocks_error", self.block_norm_error);
    field("insecure_blocks_correlation", self.block_correlation);
    field("secure_sum_correlation", self.sum_correlation);
  }
};

// One for each passive participant. With two participants the active one takes the only other's words less its own
// share of zero, which it knows, so that the words are the block.
[[nodiscard]] std::vector<SumReading> read_sums(const AuditData& data, const MaskedUsers& users);

// Demonstration 2: known contexts undo the mask.
//
// The active participant knows Q^0 and its own features, so of n = d - d_0 unknown columns of the mask it sees an
// orthogonal n x n matrix R in R x. Contexts of others that it knows (its own customers, or itself as a user) give R x
// for known x: n independent ones give R, n - 1 give R but for one reflection, and fewer give all of x that lies in
// their span.

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

// Demonstration 3: no known context is needed where features are independent and not Gaussian.
//
// FastICA (Hyvarinen 1999, symmetric, contrast log cosh) finds the directions of R x in which the data are least
// Gaussian: the features, up to order and sign. An orthogonal R keeps lengths, so that their scale and mean come along.
// Features of one participant that depend on each other are found as the independent parts that they are made of;
// Gaussian ones are not found, nor are hundreds of features in a few thousand rows, whose mixtures look Gaussian at the
// start.

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

}  // namespace sotto::apps::lab
