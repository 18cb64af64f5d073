// Files and commands for the tests of `sotto o3m`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/process/sotto_process.h"

namespace sotto::testing::o3m {

using nlohmann::json;
using Words = std::vector<std::string>;

inline constexpr std::size_t arms = 4;

inline void put(const TestFolder& folder, const std::string& name, const std::string& text) {
  (void)folder.write(name, text);
}

// Contexts of up to five participants, 2 to 4 features each, with rewards from a linear model of all of them and its
// means.
class Data {
 public:
  explicit Data(const TestFolder& folder, std::size_t steps = 120) : folder_(folder) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    std::vector<std::string> texts;
    for (std::size_t j = 0; j < 5; ++j) {
      texts.emplace_back("t,arm");
      for (std::size_t i = 0; i < columns(j); ++i) texts[j] += ",f" + std::to_string(i);
      texts[j] += "\n";
    }
    std::string rewards = "t,arm,reward,mean\n";
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t arm = 0; arm < arms; ++arm) {
        const std::string pair = std::to_string(t) + "," + std::to_string(arm);
        double mean = 0;
        for (std::size_t j = 0; j < 5; ++j) {
          texts[j] += pair;
          for (std::size_t i = 0; i < columns(j); ++i) {
            const double x = normal(random) / 4;
            mean += x * std::cos(static_cast<double>(3 * j + i));
            texts[j] += "," + std::to_string(x);
          }
          texts[j] += "\n";
        }
        reward_.push_back(std::stod(std::to_string(mean + normal(random) / 20)));
        mean_.push_back(std::stod(std::to_string(mean)));
        rewards += pair + "," + std::to_string(reward_.back()) + "," + std::to_string(mean) + "\n";
      }
    }
    for (std::size_t j = 0; j < 5; ++j) {
      put(folder, "p" + std::to_string(j) + ".csv", texts[j]);
    }
    put(folder, "env.csv", rewards);
  }

  static std::size_t columns(std::size_t participant) { return 2 + participant % 3; }
  static std::size_t dimension(std::size_t participants) {
    std::size_t sum = 0;
    for (std::size_t j = 0; j < participants; ++j) sum += columns(j);
    return sum;
  }
  [[nodiscard]] static Words command(std::size_t participants, const std::string& algorithm, const Words& more) {
    Words words{"o3m", "--ap", "p0.csv", "--environment", "env.csv", "--algorithm", algorithm};
    for (std::size_t j = 1; j < participants; ++j) {
      words.insert(words.end(), {"--passive", "p" + std::to_string(j) + ".csv"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] json run(const Words& words) const {
    SottoProcess process(folder_, words);
    EXPECT_EQ(process.wait(), 0) << process.err();
    EXPECT_TRUE(folder_.nothing_left());
    return process.json();
  }
  [[nodiscard]] double reward(std::size_t t, std::size_t arm) const { return reward_[t * arms + arm]; }
  [[nodiscard]] double regret(std::size_t t, std::size_t arm) const {
    double best = mean_[t * arms];
    for (std::size_t k = 0; k < arms; ++k) best = std::max(best, mean_[t * arms + k]);
    return best - mean_[t * arms + arm];
  }

 private:
  const TestFolder& folder_;
  std::vector<double> reward_;
  std::vector<double> mean_;
};

}  // namespace sotto::testing::o3m
