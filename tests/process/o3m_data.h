// Files and commands for the tests of `sotto o3m`.
#pragma once

#include "tests/process/sotto_process.h"

namespace sotto::testing::o3m {

inline constexpr std::size_t arms = 4;

using O3m = InFolder;

// Contexts of up to five participants, 2 to 4 features each, with rewards from a linear model of all of them and its
// means.
class Data {
 public:
  explicit Data(const TestFolder& folder, std::size_t steps = 120) {
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
    for (std::size_t j = 0; j < 5; ++j) folder.write("p" + std::to_string(j) + ".csv", texts[j]);
    folder.write("env.csv", rewards);
  }

  static std::size_t columns(std::size_t participant) { return 2 + participant % 3; }
  static std::size_t dimension(std::size_t participants) {
    std::size_t sum = 0;
    for (std::size_t j = 0; j < participants; ++j) sum += columns(j);
    return sum;
  }
  [[nodiscard]] static Words command(std::size_t participants, const std::string& algorithm, const std::string& more) {
    std::string line = "o3m --ap p0.csv --environment env.csv --algorithm " + algorithm;
    for (std::size_t j = 1; j < participants; ++j) line += " --passive p" + std::to_string(j) + ".csv";
    return words_of(line + " " + more);
  }
  [[nodiscard]] double reward(std::size_t t, std::size_t arm) const { return reward_[t * arms + arm]; }
  [[nodiscard]] double regret(std::size_t t, std::size_t arm) const {
    double best = mean_[t * arms];
    for (std::size_t k = 0; k < arms; ++k) best = std::max(best, mean_[t * arms + k]);
    return best - mean_[t * arms + arm];
  }

 private:
  std::vector<double> reward_;
  std::vector<double> mean_;
};

}  // namespace sotto::testing::o3m
