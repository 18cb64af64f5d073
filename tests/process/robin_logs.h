#pragma once

#include "tests/process/sotto_process.h"

namespace sotto::testing {

// A reward that only its owner may print.
inline const std::string secret_reward = "0.3817263";

inline std::string log_of(unsigned client, std::size_t steps, const std::string& features = "a,b") {
  std::mt19937 random(client);
  std::uniform_real_distribution<double> uniform(-0.7, 0.7);
  std::string text = "t,arm," + features + ",reward,mean\n";
  for (std::size_t t = 0; t < steps; ++t) {
    for (int arm = 0; arm < 3; ++arm) {
      text += std::to_string(t) + "," + std::to_string(arm);
      double mean = 0;
      for (std::size_t i = 0; i < 1 + features.size() / 2; ++i) {
        const double value = uniform(random);
        mean += value * (i == 0 ? 0.6 : -0.8);
        text += "," + std::to_string(value);
      }
      const double reward = mean + uniform(random) / 7;
      text += "," + (t == 0 ? secret_reward : std::to_string(reward)) + "," + std::to_string(mean) + "\n";
    }
  }
  return text;
}

}  // namespace sotto::testing
