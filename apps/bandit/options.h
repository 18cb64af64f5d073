// What a user asks of a local run of the private bandit: the arguments of `sotto bandit` and `sotto plan`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::apps {

struct BanditOptions {
  std::vector<std::filesystem::path> parties;
  std::filesystem::path environment;
  double epsilon = 0.1;
  std::optional<std::uint64_t> steps;  // default: the rows, once each
  std::optional<std::size_t> arms;
  unsigned bits = 20;
  std::optional<double> max_norm;
  bool joint_norm_holds = false;  // of a plan; a local run sees the joint rows
  std::uint64_t repeat = 1;
  bool deal_ahead = false;
  bool separate_rewarder = false;
  bool compare_plaintext = false;
  bool reveal_model = false;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;  // links without TLS
  std::string pull_delay{};         // of the actor's answers (delay.h); empty: none
  std::string reward_delay{};       // of the rewarder's
  net::LinkConditions link;         // of every link; by default none is emulated
  std::filesystem::path out;        // empty: the default, or nothing with json
  bool overwrite = false;           // what a run has finished there
  bool json = false;
  std::uint64_t checkpoint_every = 0;  // steps; 0: the run cannot be resumed
};

}  // namespace sotto::apps
