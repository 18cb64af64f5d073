#include "bench/lab/p2b/synthetic_world.h"

#include <algorithm>
#include <cmath>

#include "bench/lab/p2b/stream.h"

namespace sotto::apps::lab {
namespace {

// The first part of a stream's key: what it is for.
enum WorldStream : std::uint64_t { weights = 1, contexts = 2, rewards = 3 };

}  // namespace

SyntheticWorld::SyntheticWorld(const SyntheticSettings& settings, std::uint64_t seed)
    : settings_(settings), seed_(seed), weights_(settings.arms * settings.dimension) {
  const auto both = static_cast<double>(settings.arms + settings.dimension);
  const double bound = std::sqrt(6 / both);
  Stream stream({WorldStream::weights, seed});
  for (double& weight : weights_) weight = bound * (2 * stream.unit() - 1);
}

std::size_t SyntheticWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  contexts.resize(settings_.steps * settings_.dimension);
  Stream stream({WorldStream::contexts, seed_, user});
  for (double& feature : contexts) feature = stream.unit();
  for (std::size_t step = 0; step < settings_.steps; ++step) {
    normalise_context(std::span(contexts).subspan(step * settings_.dimension, settings_.dimension));
  }
  return settings_.steps;
}

double SyntheticWorld::mean(std::span<const double> context, std::size_t arm) const {
  const double* row = weights_.data() + arm * settings_.dimension;
  double sum = 0;
  for (std::size_t i = 0; i < context.size(); ++i) sum += row[i] * context[i];
  return sum;
}

double SyntheticWorld::reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const {
  Stream stream({WorldStream::rewards, seed_, user, step * settings_.arms + arm});
  const double chance = mean(context, arm) + settings_.noise * stream.normal();
  return stream.unit() < chance ? 1 : 0;
}

bool SyntheticWorld::expected_rewards(std::size_t /*user*/, std::size_t /*step*/, std::span<const double> context,
                                      std::span<double> out) const {
  for (std::size_t arm = 0; arm < settings_.arms; ++arm) {
    out[arm] = std::clamp(mean(context, arm), 0.0, 1.0);
  }
  return true;
}

}  // namespace sotto::apps::lab
