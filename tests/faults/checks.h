#pragma once

#include "tests/process/role_runs.h"

namespace sotto::testing {

// Extra time for machines that also do other work.
inline constexpr double slack_seconds = 60;

inline void expect_discreet(const std::string& key, const Ended& end) {
  for (const std::string& cell : secret_cells()) {
    EXPECT_FALSE(has(end.output, cell.substr(cell.find('.')))) << key << end.output;
  }
  EXPECT_FALSE(has(end.output, "PRIVATE KEY")) << key << end.output;
  if (end.code == 0 || end.code >= 1000) return;
  EXPECT_EQ(end.error.rfind("sotto: ", 0), 0u) << key << ": " << end.output;
  EXPECT_LT(end.error.size(), 700u) << key << ": " << end.error;
  EXPECT_TRUE(std::all_of(end.error.begin(), end.error.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      << key << ": " << end.error;
}

inline bool says(const Ended& end, const std::string& part) { return has(end.error, part); }

inline void expect_all_end(const Ends& ends, int code, const std::string& part = "") {
  for (const auto& [key, end] : ends) expect_discreet(key, end);
  expect_ends(ends, code, part);
}

inline int count_saying(const Ends& ends, const std::vector<std::string>& parts, int code) {
  expect_all_end(ends, code);
  return static_cast<int>(std::count_if(ends.begin(), ends.end(), [&](const auto& end) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return says(end.second, part); });
  }));
}

// Checks that the roles except `culprit` end with `code`, and that each error names `culprit` and contains `says`.
inline void expect_blame(Ends ends, const std::string& culprit, int code, const std::string& says) {
  ends.erase(culprit);
  expect_all_end(ends, code, name_of(culprit) + " " + says);
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
