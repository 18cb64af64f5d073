#pragma once

#include <sys/stat.h>

#include "tests/apps/kit/files/test_files.h"
#include "tests/framework.h"

namespace sotto::apps {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The interrupt flags of a run that ends by itself, and of a run that stops at once.
inline const std::atomic<bool> not_interrupted{false};
inline const std::atomic<bool> always_interrupted{true};

class InFolder : public ::testing::Test {
 protected:
  TestFolder folder;
};

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

inline std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Returns the permissions of a file, or 0 if the file does not exist.
inline unsigned mode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace sotto::apps
