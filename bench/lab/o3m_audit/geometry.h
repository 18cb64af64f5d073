// Demonstration 1: the geometry of contexts passes through any orthogonal mask. Norms, distances, inner products and
// duplicates are read off masked contexts and compared with the true ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/bench/lab/o3m_audit/view.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
