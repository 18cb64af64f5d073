// What a user asks of a local run of the private bandit: the arguments of `sotto bandit` and `sotto plan`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sotto/apps/bandit/settings.h"

namespace sotto::apps {

struct BanditOptions {
  std::vector<std::filesystem::path> parties;
  std::filesystem::path environment;
  // 0 steps: the rows, once each; 0 arms: those of the environment. joint_norm_holds is of a plan: a local run sees the
  // joint rows.
  BanditSettings run;
  std::uint64_t repeat = 1;
  bool compare_plaintext = false;
  std::string pull_delay{};    // of the actor's answers (delay.h); empty: none
  std::string reward_delay{};  // of the rewarder's
  std::filesystem::path out;   // empty: the default, or nothing with json
  bool overwrite = false;      // what a run has finished there
  bool json = false;
};

}  // namespace sotto::apps
