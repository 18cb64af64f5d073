#include "apps/bandit/model/phases.h"

#include "sotto/protocol/arithmetic/bilinear.h"

namespace sotto::apps::bandit {
namespace {

// A party needs about 60 MB for this number of lanes.
constexpr std::uint64_t most_lanes = std::uint64_t{1} << 18;

std::uint64_t entries_of(const BanditParameters& parameters) {
  return parameters.arms * parameters.features() * parameters.features();
}

// Two parties compute each product by transfers. One product needs as much time as the truncation of one lane.
std::uint64_t products_of_step(const BanditParameters& parameters) {
  if (cast_of(parameters.preprocessing).multiplies_locally) return 0;
  if (parameters.update == StepUpdate::all_arms) return 3 * entries_of(parameters);
  // A step makes three selections by bits among all arms. A selection costs a thirtieth of a product for each entry.
  return 3 * entries_of(parameters) / parameters.arms + entries_of(parameters) / 10;
}
std::uint64_t products_of_lessons(const BanditParameters& parameters) {
  if (cast_of(parameters.preprocessing).multiplies_locally) return 0;
  return (parameters.batch + 7 * parameters.features()) * entries_of(parameters);
}

}  // namespace

// Learning a batch truncates the matrices about ten times.
Stretches::Stretches(const BanditParameters& parameters) : dealt_(cast_of(parameters.preprocessing).has_dealer) {
  const std::uint64_t d = parameters.features();
  const std::uint64_t of_model = parameters.arms * (protocols::triangle(d) + 4 * d);
  of_event_ = 2 * parameters.arms * (parameters.arms + 1);
  of_step_ = parameters.update == StepUpdate::all_arms ? of_model
                                                       : protocols::triangle(d) + (parameters.arms + 4) * d + of_event_;
  of_step_ += products_of_step(parameters);
  of_lessons_ = 10 * of_model + products_of_lessons(parameters);
}

bool Stretches::begins_with(std::uint64_t lanes) {
  if (dealt_) return false;
  const bool begins = so_far_ != 0 && so_far_ + lanes > most_lanes;
  so_far_ = begins ? lanes : so_far_ + lanes;
  return begins;
}

}  // namespace sotto::apps::bandit
