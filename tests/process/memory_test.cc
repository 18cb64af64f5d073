// A long run holds no more memory than a short one, at any role and in the launcher.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "sotto/core/async/pool.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// Resident pages of libraries come and go by some hundred kilobytes from run to run. What grows by fifteen bytes a step
// exceeds this.
constexpr std::uint64_t allowance = 512 * 1024;
constexpr std::uint64_t short_run = 5'000;
constexpr std::uint64_t long_run = 40'000;

// Peak bytes, by role.
std::map<std::string, std::uint64_t> peaks_of(const TestFolder& folder, std::uint64_t steps) {
  const std::string a = folder.write("a.csv", "a\n0.5\n-0.5\n0.25\n");
  const std::string b = folder.write("b.csv", "b\n0.5\n0.25\n-0.5\n");
  const std::string labels = folder.write("labels.csv", "label\n0\n1\n1\n");
  SottoProcess process(folder, {"bandit", "--party", a, "--party", b, "--environment", labels, "--max-norm", "1",
                                "--separate-rewarder", "--json", "--steps", std::to_string(steps)});
  EXPECT_EQ(process.wait(), 0) << process.err();
  std::map<std::string, std::uint64_t> peaks;
  const nlohmann::json result = process.json();
  for (const nlohmann::json& role : result.at("roles")) {
    peaks[role.at("role")] = role.at("peak_memory_bytes");
  }
  peaks["the launcher and all roles"] = process.peak_memory_bytes();
  return peaks;
}

TEST(Memory, DoesNotGrowWithTheSteps) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers keep freed memory for a while";
  const TestFolder folder;
  const auto before = peaks_of(folder, short_run);
  const auto after = peaks_of(folder, long_run);
  ASSERT_EQ(before.size(), 6u);
  ASSERT_EQ(after.size(), 6u);
  for (const auto& [role, bytes] : before) {
    EXPECT_GT(bytes, 1'000'000u) << role;
    EXPECT_LE(after.at(role), bytes + allowance) << role << ": " << bytes << " bytes after " << short_run << " steps, "
                                                 << after.at(role) << " after " << long_run;
  }
}

}  // namespace
}  // namespace sotto::testing
