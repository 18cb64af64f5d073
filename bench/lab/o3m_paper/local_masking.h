// The masked contexts that an O3M run would give its active participant, made in one process: the same blocks of a
// Haar-distributed mask and the same sum in fixed point as over the links, in less time. Only the zero shares are left
// out: they cancel exactly in Z/2^64, so the sum is the same word for word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/apps/o3m/masking.h"
#include "sotto/apps/o3m/plan.h"

namespace sotto::apps {

// What one participant does, and then the sum at the active one. Not for several threads at once.
class LocalMasking {
 public:
  // The mask is drawn from `seed`. Throws what plan_o3m throws.
  LocalMasking(const O3mParameters& parameters, std::uint64_t seed);

  // masked = Q x for each row of `contexts`, rows x d.
  void mask(std::span<const double> contexts, std::span<double> masked);
  // What of this the active participant does itself: its own block, one sum to add, decoding. `masked` is not the whole
  // of anything; only the time that it takes is of use.
  void mask_own_part(std::span<const double> contexts, std::span<double> masked);

 private:
  void begin(std::span<const double> contexts, std::span<double> masked);
  void add(std::size_t participant, std::span<const double> contexts);

  O3mPlan plan_;
  std::vector<BlockMask> blocks_;
  // Of the call under way: one participant's contexts, its masked ones, and the sums.
  std::vector<double> own_, masked_own_;
  std::vector<std::uint64_t> words_, sums_;
};

}  // namespace sotto::apps
