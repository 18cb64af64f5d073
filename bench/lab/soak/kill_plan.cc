#include "bench/lab/soak/kill_plan.h"

#include <utility>

namespace sotto::apps::lab {

KillPlan::KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles)
    : random_(seed), roles_(std::move(roles)) {
  for (std::uint64_t i = 0; i < kills; ++i) at_.insert(random_() % decisions);
}

std::vector<std::string> KillPlan::pick(std::vector<std::string> there) {
  std::vector<std::string> victims;
  const bool two = at_.size() > 1 && there.size() > 1 && random_() % 5 == 0;
  for (std::size_t count = two ? 2 : 1; count > 0 && !there.empty(); --count) {
    const auto victim = there.begin() + static_cast<std::ptrdiff_t>(random_() % there.size());
    victims.push_back(*victim);
    there.erase(victim);
    at_.erase(at_.begin());
  }
  return victims;
}

}  // namespace sotto::apps::lab
