// The material of an audit of O3M: contexts, generated or of participants' own files, and what the active participant
// of a run holds of them, or could be given besides. Everything is computed as a run computes it (masking.h,
// secure_sum.h), but by one process, which knows all.
//
// A row is one context: of one user, or of one user and arm. Features of participant j are the columns offset(j) ..
// offset(j) + columns[j] - 1; the active participant comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/o3m/files.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::lab {

struct AuditData {
  std::vector<std::size_t> columns;  // of each participant
  std::size_t rows = 0;
  std::vector<double> values;  // [row][feature]
  std::string source;          // for people

  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::size_t offset(std::size_t participant) const;
  // rows x columns[participant], row-major.
  [[nodiscard]] std::vector<double> block(std::size_t participant) const;
  // rows x (dimension - columns[0]): hidden from the active participant.
  [[nodiscard]] std::vector<double> others() const;
};

struct GeneratedUsers {
  std::size_t users = 3000;
  std::size_t dimension = 16;
  std::size_t own = 4;           // of the active participant
  std::size_t participants = 3;  // the passive ones share the rest evenly
  std::uint64_t seed = 1;
};

// Features independent and uniform on [0, 1], as min-max scaling leaves them. In every hundredth row the passive
// participants' features repeat those of the row before. InputError where somebody would have no feature.
[[nodiscard]] AuditData generate_users(const GeneratedUsers& options);

// The first `most` contexts of participants' files, combined with an arms file where there is one; no environment is
// read. `arms` is needed for files of user features without an arms file. InputError where the files do not go
// together.
[[nodiscard]] AuditData read_users(const o3m::O3mFiles& files, std::optional<std::size_t> arms, std::size_t most);

// The run that these contexts would be part of: columns and bounds of each participant.
[[nodiscard]] o3m::O3mParameters parameters_of(const AuditData& data);

// The view of the active participant: nothing here belongs to anybody else.
struct ActiveView {
  std::size_t rows = 0;
  o3m::MaskBlock own_block;          // Q^0, d x d_0
  std::vector<double> own_contexts;  // rows x d_0
  std::vector<double> masked;        // rows x d: Q x of whole contexts, out of the sum

  [[nodiscard]] std::size_t dimension() const { return own_block.dimension; }
  [[nodiscard]] std::size_t others() const { return own_block.dimension - own_block.columns; }
};

struct MaskedUsers {
  ActiveView view;
  std::vector<double> mask;  // Q, d x d: the mask generator's
  // Of each passive participant, rows x d:
  std::vector<std::vector<double>> blocks;        // what --insecure-blocks sends
  std::vector<std::vector<std::uint64_t>> words;  // what secure summation sends
  unsigned fraction_bits = 0;
};

// Masks the contexts by a matrix from that seed, which everybody can guess. InputError where a run would refuse them.
[[nodiscard]] MaskedUsers mask_users(const AuditData& data, std::uint64_t seed);

// masked - Q^0 x^0: the others' part, rows x d.
[[nodiscard]] std::vector<double> without_own(const ActiveView& view);

}  // namespace sotto::apps::lab
