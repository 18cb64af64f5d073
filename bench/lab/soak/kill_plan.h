// Whom a soak kills, and when: after so many decisions, which come in the midst of anything.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sotto::apps::lab {

class KillPlan {
 public:
  // `kills` of these roles, at random among so many decisions.
  KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles);

  // After so many decisions one is to be killed.
  [[nodiscard]] bool is_due(std::uint64_t told) const { return !at_.empty() && *at_.begin() <= told; }
  // Of the roles that run now: one, or in one of five cases two at once. None if none of the plan's runs.
  template <class Runs>
  [[nodiscard]] std::vector<std::string> take(Runs runs) {
    std::vector<std::string> there;
    for (const std::string& role : roles_) {
      if (runs(role)) there.push_back(role);
    }
    return pick(std::move(there));
  }
  // How long a role that was killed stays away.
  [[nodiscard]] std::chrono::milliseconds away() { return std::chrono::milliseconds(random_() % 500); }

 private:
  [[nodiscard]] std::vector<std::string> pick(std::vector<std::string> there);

  std::mt19937_64 random_;
  std::vector<std::string> roles_;
  std::multiset<std::uint64_t> at_;
};

}  // namespace sotto::apps::lab
