#pragma once

#include "apps/kit/files/output_file.h"
#include "tests/framework.h"

namespace sotto::apps {

class TestFolder {
 public:
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

  [[nodiscard]] std::filesystem::path put(const std::string& name, std::string_view contents) const {
    std::ofstream(path() / name, std::ios::binary) << contents;
    return path() / name;
  }

 private:
  PrivateFolder folder_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

// Returns the message of the action's error of type E, without the folder's name. The test fails if there is no such
// error.
template <class E, class Action>
std::string message_of(const TestFolder& folder, Action action) {
  try {
    action();
  } catch (const E& error) {
    std::string text = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    EXPECT_EQ(text.find('\n'), std::string::npos) << "an error is one line";
    return text;
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace sotto::apps
