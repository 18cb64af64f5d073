#include "sotto/apps/p2b/world.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

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

std::size_t RecordedContexts::most_steps() const {
  std::size_t most = 0;
  for (std::size_t u = 0; u < users(); ++u) most = std::max(most, first[u + 1] - first[u]);
  return most;
}

RecordedWorld::RecordedWorld(RecordedContexts recorded) : recorded_(std::move(recorded)) {
  if (recorded_.contexts.size() != recorded_.steps() * recorded_.dimension) {
    throw std::invalid_argument("a recorded world needs a context for each step");
  }
}

std::size_t RecordedWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  const auto at = [&](std::size_t step) {
    return recorded_.contexts.begin() + static_cast<std::ptrdiff_t>(step * recorded_.dimension);
  };
  contexts.assign(at(recorded_.first[user]), at(recorded_.first[user + 1]));
  return recorded_.first[user + 1] - recorded_.first[user];
}

TableWorld::TableWorld(RecordedContexts recorded, std::vector<float> rewards)
    : RecordedWorld(std::move(recorded)), rewards_(std::move(rewards)) {
  if (rewards_.size() != this->recorded().steps() * arms()) {
    throw std::invalid_argument("TableWorld: a reward for each step and arm is needed");
  }
}

double TableWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                          std::size_t arm) const {
  return rewards_[place(user, step) * arms() + arm];
}

bool TableWorld::expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                  std::span<double> out) const {
  for (std::size_t arm = 0; arm < arms(); ++arm) out[arm] = reward(user, step, context, arm);
  return true;
}

LogWorld::LogWorld(RecordedContexts recorded, std::vector<std::uint32_t> arms, std::vector<float> rewards)
    : RecordedWorld(std::move(recorded)), arms_(std::move(arms)), rewards_(std::move(rewards)) {
  if (arms_.size() != this->recorded().steps() || rewards_.size() != arms_.size()) {
    throw std::invalid_argument("LogWorld: an arm and a reward for each step are needed");
  }
}

double LogWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                        std::size_t arm) const {
  if (arm != arms_[place(user, step)]) throw std::invalid_argument("LogWorld: that arm was not shown");
  return rewards_[place(user, step)];
}

std::size_t PartOfWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  const std::size_t steps = std::min(world_.meet(user, contexts), steps_);
  contexts.resize(steps * dimension());
  return steps;
}

}  // namespace sotto::apps
