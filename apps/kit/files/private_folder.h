// A folder for the files of one run that only the user can read, removed with all its content.
#pragma once

#include <filesystem>

namespace sotto::apps {

class PrivateFolder {
 public:
  // Throws ResourceError if it cannot be made.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::apps
