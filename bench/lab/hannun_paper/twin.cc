#include "bench/lab/hannun_paper/twin.h"

#include <numeric>

#include "apps/prepare/data/reduction.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::prepare;

HannunWorld::HannunWorld(const HannunImages& images) : images_(&images) {}

HannunWorld::HannunWorld(const HannunImages& images, std::size_t arms, std::uint64_t seed)
    : images_(&images), arms_(arms) {
  const KMeans centres = fit_kmeans(images.contexts, hannun_features, arms, seed);
  probabilities_ = reward_probabilities(centres, images.contexts);
  best_ = 0;
  const auto rows = static_cast<double>(images.rows());
  for (std::size_t row = 0; row < images.rows(); ++row) {
    const auto of_row = std::span(probabilities_).subspan(row * arms, arms);
    best_ += *std::max_element(of_row.begin(), of_row.end()) / rows;
  }
  uniform_ =
      std::accumulate(probabilities_.begin(), probabilities_.end(), 0.0) / static_cast<double>(probabilities_.size());
}

std::vector<std::size_t> hannun_order(std::size_t rows, std::uint64_t seed) {
  return SeededDraws(seed).permutation(rows);
}

std::vector<double> play_hannun_twin(const HannunWorld& world, double epsilon, std::uint64_t seed,
                                     std::span<const std::uint64_t> marks) {
  constexpr std::uint64_t coins = 0x9e3779b97f4a7c15;
  PlaintextBandit bandit(world.arms(), hannun_features, epsilon, seed ^ coins);
  const std::vector<std::size_t> order = hannun_order(world.images().rows(), seed);
  return play_order(bandit, world, order, seed, marks, [](std::size_t, const PlaintextBandit&) {});
}

}  // namespace sotto::apps::lab
