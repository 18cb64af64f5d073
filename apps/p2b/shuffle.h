// P2B's shuffler on one batch: counts the codes, drops the tuples whose code occurs fewer than l times, and puts the
// others in a uniformly random order. It has no metadata to begin with: a tuple's sender was stripped before.
//
// Only the survivors may be published: delta (apps/p2b/privacy.h) holds for who sees these, and not for who learns in
// any way how many tuples were received or dropped. So whoever makes batches must not end them by their size, nor carry
// over what was dropped. The caller checks codes and arms (check_tuple).
//
// A threshold of 0 is InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/apps/p2b/draws.h"
#include "sotto/apps/p2b/tuple.h"

namespace sotto::apps {

struct ShuffleResult {
  std::vector<Tuple> survivors;
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;        // received - kept
  std::uint64_t codes_dropped = 0;  // distinct codes below the threshold
};

// The same in the order of the batch: for who shuffles elsewhere, and for tests.
[[nodiscard]] ShuffleResult drop_rare_codes(std::span<const Tuple> batch, std::size_t threshold);

template <Draws D>
[[nodiscard]] ShuffleResult shuffle(std::span<const Tuple> batch, std::size_t threshold, D& draws) {
  ShuffleResult result = drop_rare_codes(batch, threshold);
  draw_order(std::span(result.survivors), draws);
  return result;
}

}  // namespace sotto::apps
