// Folders and files that hold secrets: their owner alone may read them.
#pragma once

#include <filesystem>

namespace sotto::apps {

// Makes a folder of mode 0700; its parent must be there. False where something of that name is already. ResourceError
// where it cannot be made.
bool make_private_folder(const std::filesystem::path& folder);

// Makes an empty file of mode 0600, likewise. Files that SQLite puts beside a database have its mode.
bool make_private_file(const std::filesystem::path& file);

// As ssh does with keys: InputError where others than the owner have access, with the remedy ("run `chmod 600` on it").
// A missing file passes: opening it says more.
void require_private(const std::filesystem::path& path, const char* remedy);

// A folder for the files of one run that only the user can read, removed with all its content.
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
