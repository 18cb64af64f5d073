#include "sotto/protocols/compare/samples.h"

#include <numeric>
#include <utility>

#include "sotto/core/random/prg.h"

namespace sotto::protocols {

Samples draw_samples(Party& party, std::size_t arms, Exploration exploration) {
  Samples samples;
  party.correlations().at_dealer_only([&](Prg& coins) {
    samples.ranks.resize(arms);
    std::iota(samples.ranks.begin(), samples.ranks.end(), std::size_t{0});
    for (std::size_t i = arms; i > 1; --i) std::swap(samples.ranks[i - 1], samples.ranks[coins.below(i)]);
    const bool below = coins.next() < exploration.threshold;
    samples.explore = exploration.always || below;
    samples.arm = coins.below(arms);
  });
  return samples;
}

}  // namespace sotto::protocols
