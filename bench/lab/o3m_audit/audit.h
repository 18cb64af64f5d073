// An audit of O3M: the contexts, and the data from which the active participant can learn about them. One process that
// knows everything computes all data as in a run.
//
// A row is the context of one user, or of one user and one arm. The features of participant j are the columns offset(j)
// .. offset(j) + columns[j] - 1; the active participant comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/o3m/files.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::lab {

struct AuditData {
  std::vector<std::size_t> columns;
  std::size_t rows = 0;
  std::vector<double> values;  // [row][feature]
  std::string source;          // for people

  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::size_t offset(std::size_t participant) const;
  // rows x columns[participant], row-major.
  [[nodiscard]] std::vector<double> block(std::size_t participant) const;
  // The features that are hidden from the active participant: rows x (dimension - columns[0]).
  [[nodiscard]] std::vector<double> others() const;
};

struct GeneratedUsers {
  std::size_t users = 3000;
  std::size_t dimension = 16;
  std::size_t own = 4;
  std::size_t participants = 3;
  std::uint64_t seed = 1;
};

// Features are independent and uniform on [0, 1], as after min-max scaling. In every hundredth row, the passive
// participants' features equal those of the row before.
[[nodiscard]] AuditData generate_users(const GeneratedUsers& options);

// `arms` is needed for user features without an arms file.
[[nodiscard]] AuditData read_users(const o3m::O3mFiles& files, std::optional<std::size_t> arms, std::size_t most);

[[nodiscard]] o3m::O3mParameters parameters_of(const AuditData& data);

// The view of the active participant; it contains no data of other participants.
struct ActiveView {
  std::size_t rows = 0;
  o3m::MaskBlock own_block;          // Q^0, d x d_0
  std::vector<double> own_contexts;  // rows x d_0
  std::vector<double> masked;        // rows x d: Q x of each whole context x, decoded from the sum

  [[nodiscard]] std::size_t dimension() const { return own_block.dimension; }
  [[nodiscard]] std::size_t others() const { return own_block.dimension - own_block.columns; }
};

struct MaskedUsers {
  ActiveView view;
  std::vector<double> mask;  // Q, d x d, which the mask generator knows
  // `blocks` and `words` have one matrix of rows x d for each passive participant.
  std::vector<std::vector<double>> blocks;
  std::vector<std::vector<std::uint64_t>> words;  // sent by secure summation
  unsigned fraction_bits = 0;
};

// The mask is drawn from `seed`, which everybody can guess.
[[nodiscard]] MaskedUsers mask_users(const AuditData& data, std::uint64_t seed);

// The other participants' part of the masked contexts: masked - Q^0 x^0, rows x d.
[[nodiscard]] std::vector<double> without_own(const ActiveView& view);

// The other participants' part of the masked contexts (without_own), in coordinates of the space orthogonal to Q^0,
// with the shape of AuditData::others(). The result equals an orthogonal matrix times the other participants' features.
[[nodiscard]] std::vector<double> others_rotated(const ActiveView& view);

// Demonstration 1: no orthogonal mask hides the geometry of contexts.

// Each error is the largest error over all rows, or over all pairs of the first rows (at most 1000 rows).
struct GeometryReading {
  std::string whose;
  double norm_error = 0;
  double inner_product_error = 0;
  double distance_error = 0;
  std::size_t duplicates = 0;        // rows that equal an earlier row
  std::size_t duplicates_found = 0;  // masked rows that equal an earlier masked row
  bool same_duplicates = false;

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

// The effect of secure summation on one passive participant: how well the active participant can compute the norms of
// this participant's contexts.
struct SumReading {
  std::size_t participant = 0;
  double block_norm_error = 0;   // largest error of the norms that --insecure-blocks reveals
  double block_correlation = 0;  // correlation of the true norms with the norms that --insecure-blocks reveals
  double sum_correlation = 0;    // correlation of the true norms with the norms of secure summation's words

  static void describe(auto& self, auto&& field) {
    field("passive_participant", self.participant);
    field("insecure_blocks_error", self.block_norm_error);
    field("insecure_blocks_correlation", self.block_correlation);
    field("secure_sum_correlation", self.sum_correlation);
  }
};

// One reading for each passive participant. With two participants, the active participant knows the zero share that was
// added to a word. The words therefore reveal the passive participant's masked contexts.
[[nodiscard]] std::vector<SumReading> read_sums(const AuditData& data, const MaskedUsers& users);

// Demonstration 2: known contexts undo the mask.
//
// The active participant knows Q^0 and its own features, so it can compute R x from the masked contexts. R is an
// orthogonal n x n matrix for the n = d - d_0 unknown columns of the mask, and x is the vector of the other
// participants' features. If the active participant knows x of some contexts (its own customers, or itself as a user),
// it knows both x and R x. From n independent known contexts, the active participant finds R. From n - 1 independent
// known contexts, the active participant finds R up to one reflection. Fewer known contexts reveal the part of each x
// that lies in the span of the known contexts.

// Errors of the recovered features of the other participants in all rows, in the unit of the features.
struct RecoveryReading {
  std::size_t known = 0;
  double largest_error = 0;                   // if n - 1 contexts are known: with the better of the two signs
  double rms_error = 0;                       // root mean square error
  double relative_error = 0;                  // error of the whole matrix of features, in Frobenius' norm
  std::optional<double> rms_with_other_sign;  // only if n - 1 contexts are known

  static void describe(auto& self, auto&& field) {
    field("known", self.known);
    field("largest_error", self.largest_error);
    field("rms_error", self.rms_error);
    field("relative_error", self.relative_error);
    field.unless_empty("rms_error_with_other_sign", self.rms_with_other_sign);
  }
};

// The first rows of `others` (rows x columns) that are linearly independent, at most `most`.
[[nodiscard]] std::vector<std::size_t> independent_rows(std::span<const double> others, std::size_t rows,
                                                        std::size_t most);

// Recovers all rows from the features of the rows `known`. The recovery reads only these rows of `others`.
[[nodiscard]] RecoveryReading recover_from_known(const ActiveView& view, std::span<const double> others,
                                                 std::span<const std::size_t> known);

// For comparison: guesses the mean of the rows `known` for every row.
[[nodiscard]] RecoveryReading guess_mean(std::span<const double> others, std::size_t rows,
                                         std::span<const std::size_t> known);

// The largest error over all features of all rows if the whole mask Q is known.
[[nodiscard]] double error_with_mask(const ActiveView& view, std::span<const double> mask,
                                     std::span<const double> contexts);

// Demonstration 3: no known context is needed if features are independent and not Gaussian.
//
// FastICA (Hyvarinen 1999, symmetric, contrast log cosh) finds the directions of R x in which the data are least
// Gaussian: the features, up to order and sign. An orthogonal R keeps lengths, so FastICA also recovers the scale and
// the mean of the features. FastICA does not find Gaussian features. FastICA also fails for hundreds of features in a
// few thousand rows, because mixtures of so many features look Gaussian in its first iterations.

struct Unmixed {
  std::size_t components = 0;  // number of dimensions in which the data vary
  std::vector<double> values;  // rows x components: features up to order and sign
  std::size_t iterations = 0;
  bool converged = false;
};

// `rotated` is rows x columns.
[[nodiscard]] Unmixed fast_ica(std::span<const double> rotated, std::size_t rows, std::uint64_t seed);

// Each component is matched with one feature, the best matches first.
struct MatchReading {
  std::size_t matched = 0;
  double mean_correlation = 0;
  double least_correlation = 0;
  double rms_error = 0;  // in the features' unit and with corrected signs
  // `sign` turns the component into the feature.
  struct Match {
    std::size_t feature = 0;
    std::size_t component = 0;
    double sign = 1;
    double correlation = 0;
  };
  std::vector<Match> matches;
};

// `truth` is rows x features; constant features are left out.
[[nodiscard]] MatchReading match(const Unmixed& unmixed, std::span<const double> truth, std::size_t rows);

struct AuditOptions {
  // Numbers of known contexts. If empty, recovery is tried with n, n - 1, and two thirds of n.
  std::vector<std::size_t> known;
  std::uint64_t seed = 1;  // of the mask
};

struct AuditResult {
  AuditData data;
  o3m::O3mParameters parameters;
  // Readings of the whole contexts, of the passive participants' joint features, and of each participant's features as
  // --insecure-blocks sends them.
  std::vector<GeometryReading> geometry;
  std::vector<SumReading> sums;
  std::size_t independent = 0;
  std::vector<RecoveryReading> recovery;
  std::vector<RecoveryReading> recovery_curve;
  RecoveryReading wrong_block;  // control: recovery with the block of another mask
  RecoveryReading mean_guess;   // a guess without any masked context: the mean of the known contexts
  Unmixed unmixed;
  MatchReading unmixing;
  double generator_error = 0;
};

// Throws InputError if `known` asks for more contexts than there are independent contexts.
[[nodiscard]] AuditResult run_audit(AuditData data, const AuditOptions& options);

[[nodiscard]] std::string to_text(const AuditResult& result);
[[nodiscard]] nlohmann::ordered_json to_json(const AuditResult& result);

[[nodiscard]] std::string audit_html(const AuditResult& result, const std::string& command);

}  // namespace sotto::apps::lab
