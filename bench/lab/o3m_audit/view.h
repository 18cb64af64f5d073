// What the active participant of an O3M run holds, and what it could be given besides: the material of an audit.
// Everything is computed as a run computes it (masking.h, zero_shares.h), but by one process, which knows all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/apps/o3m/masking.h"
#include "sotto/bench/lab/o3m_audit/data.h"

namespace sotto::apps {

// The view of the active participant: nothing here belongs to anybody else.
struct ActiveView {
  std::size_t rows = 0;
  MaskBlock own_block;               // Q^0, d x d_0
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

}  // namespace sotto::apps
