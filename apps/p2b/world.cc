#include "sotto/apps/p2b/world.h"

#include <algorithm>

namespace sotto::apps {

std::size_t normalise_context(std::span<double> context) {
  std::size_t negative = 0;
  double largest = 0;
  for (double& feature : context) {
    if (feature < 0) {
      feature = 0;
      ++negative;
    }
    largest = std::max(largest, feature);
  }
  if (largest <= 0) {
    std::fill(context.begin(), context.end(), 1.0 / static_cast<double>(context.size()));
    return negative;
  }
  double sum = 0;  // of features in [0, 1], so that no sum overflows
  for (double& feature : context) sum += feature /= largest;
  for (double& feature : context) feature /= sum;
  return negative;
}

}  // namespace sotto::apps
