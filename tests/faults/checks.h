// What holds of every role that meets a fault, whatever the fault.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "tests/process/role_runs.h"

namespace sotto::testing {

// Slack for machines that do other things as well.
inline constexpr double slack_seconds = 60;

// No secret in what a role has said, and its error is one printable line.
inline void expect_discreet(const std::string& key, const Ended& end) {
  for (const std::string& cell : secret_cells()) {
    EXPECT_EQ(end.output.find(cell.substr(cell.find('.'))), std::string::npos) << key << end.output;
  }
  EXPECT_EQ(end.output.find("PRIVATE KEY"), std::string::npos) << key << end.output;
  if (end.code == 0 || end.code >= 1000) return;
  EXPECT_EQ(end.error.rfind("sotto: ", 0), 0u) << key << ": " << end.output;
  EXPECT_LT(end.error.size(), 700u) << key << ": " << end.error;
  EXPECT_TRUE(std::all_of(end.error.begin(), end.error.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      << key << ": " << end.error;
}

inline bool says(const Ended& end, const std::string& part) { return end.error.find(part) != std::string::npos; }

// All end with `code` and say `part`.
inline void expect_all_end(const std::map<std::string, Ended>& ends, int code, const std::string& part = "") {
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    EXPECT_EQ(end.code, code) << key << ": " << end.output;
    EXPECT_TRUE(says(end, part)) << key << ": " << end.output;
  }
}

// The roles but `culprit` end with `code` and name it; `says` is in each error.
inline void expect_blame(const std::map<std::string, Ended>& ends, const std::string& culprit, int code,
                         const std::string& says) {
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    if (key == culprit) continue;
    EXPECT_EQ(end.code, code) << key << ": " << end.output;
    EXPECT_NE(end.error.find(name_of(culprit) + " " + says), std::string::npos) << key << ": " << end.output;
  }
}

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace sotto::testing
