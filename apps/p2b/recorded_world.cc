#include "sotto/apps/p2b/recorded_world.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sotto::apps {
namespace {

std::size_t meet_recorded(const RecordedContexts& recorded, std::size_t user, std::vector<double>& contexts) {
  const std::size_t steps = recorded.first[user + 1] - recorded.first[user];
  const auto from = recorded.contexts.begin() + static_cast<std::ptrdiff_t>(recorded.first[user] * recorded.dimension);
  contexts.assign(from, from + static_cast<std::ptrdiff_t>(steps * recorded.dimension));
  return steps;
}

void check_shape(const RecordedContexts& recorded) {
  if (recorded.contexts.size() != recorded.steps() * recorded.dimension) {
    throw std::invalid_argument("a recorded world needs a context for each step");
  }
}

}  // namespace

std::size_t RecordedContexts::most_steps() const {
  std::size_t most = 0;
  for (std::size_t u = 0; u < users(); ++u) most = std::max(most, first[u + 1] - first[u]);
  return most;
}

TableWorld::TableWorld(RecordedContexts recorded, std::vector<float> rewards)
    : recorded_(std::move(recorded)), rewards_(std::move(rewards)) {
  check_shape(recorded_);
  if (rewards_.size() != recorded_.steps() * recorded_.arms) {
    throw std::invalid_argument("TableWorld: a reward for each step and arm is needed");
  }
}

std::size_t TableWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  return meet_recorded(recorded_, user, contexts);
}

double TableWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                          std::size_t arm) const {
  return rewards_[(recorded_.first[user] + step) * recorded_.arms + arm];
}

bool TableWorld::expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                  std::span<double> out) const {
  for (std::size_t arm = 0; arm < arms(); ++arm) out[arm] = reward(user, step, context, arm);
  return true;
}

LogWorld::LogWorld(RecordedContexts recorded, std::vector<std::uint32_t> arms, std::vector<float> rewards)
    : recorded_(std::move(recorded)), arms_(std::move(arms)), rewards_(std::move(rewards)) {
  check_shape(recorded_);
  if (arms_.size() != recorded_.steps() || rewards_.size() != recorded_.steps()) {
    throw std::invalid_argument("LogWorld: an arm and a reward for each step are needed");
  }
}

std::size_t LogWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  return meet_recorded(recorded_, user, contexts);
}

double LogWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                        std::size_t arm) const {
  const std::size_t place = recorded_.first[user] + step;
  if (arm != arms_[place]) throw std::invalid_argument("LogWorld: that arm was not shown");
  return rewards_[place];
}

std::optional<std::size_t> LogWorld::logged_arm(std::size_t user, std::size_t step) const {
  return arms_[recorded_.first[user] + step];
}

std::size_t PartOfWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  const std::size_t steps = std::min(world_.meet(user, contexts), steps_);
  contexts.resize(steps * dimension());
  return steps;
}

}  // namespace sotto::apps
