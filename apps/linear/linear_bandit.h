// Linear contextual bandits with one model for all arms: LinUCB (Abbasi-Yadkori et al. 2011) and
// LinTS (Agrawal and Goyal 2013), on the contexts of K arms in d dimensions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::apps {

enum class LinearAlgorithm : std::uint8_t { ucb, ts };

struct LinearBanditOptions {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::size_t dimension = 0;
  std::size_t arms = 0;
  double beta = 0.5;                   // LinUCB: weight of the confidence width
  double v = 0.01;                     // LinTS: standard deviation of the sampling
  double lambda = 1;                   // of the ridge
  std::uint64_t refresh_every = 1000;  // steps after which the inverse is computed anew
  double tie_tolerance = 1e-9;         // scores that near to the best count as the best
  std::uint64_t stream_seed = 0;       // of ties and of the noise of LinTS, by step
};

}  // namespace sotto::apps
