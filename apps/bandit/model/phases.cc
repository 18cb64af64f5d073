#include "apps/bandit/model/phases.h"

#include "sotto/protocol/arithmetic/bilinear.h"

namespace sotto::apps::bandit {
namespace {

// About 60 MB of prepared randomness at a party, and less than two rounds of preprocessing per step at 20 features and
// 10 arms.
constexpr std::uint64_t most_lanes = std::uint64_t{1} << 18;

// Entries of all arms' matrices.
std::uint64_t entries_of(const BanditParameters& parameters) {
  return parameters.arms * parameters.features() * parameters.features();
}

// Three parties multiply words locally. Two parties make each product by transfers, which takes as long as a truncated
// lane. A step makes a few products with each entry. A lesson makes one product with each entry per event, and seven
// products of matrices.
std::uint64_t products_of_step(const BanditParameters& parameters) {
  if (cast_of(parameters.preprocessing).multiplies_locally) return 0;
  if (parameters.update == StepUpdate::all_arms) return 3 * entries_of(parameters);
  // A step that updates the pulled arm multiplies only by the matrix of that arm. In addition, the step selects by bits
  // from the entries of all arms, three times, at a thirtieth of the cost of products.
  return 3 * entries_of(parameters) / parameters.arms + entries_of(parameters) / 10;
}
std::uint64_t products_of_lessons(const BanditParameters& parameters) {
  if (cast_of(parameters.preprocessing).multiplies_locally) return 0;
  return (parameters.batch + 7 * parameters.features()) * entries_of(parameters);
}

}  // namespace

// A step truncates once the matrices of all arms, or the matrix of the pulled arm. A few times, it also truncates
// values with one entry per feature. A lesson truncates the matrices about ten times. A decision needs tables for each
// pair of arms.
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
