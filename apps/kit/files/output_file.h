// Files that appear either completely or not at all.
//
// write_file writes the contents to a temporary file in the same folder, flushes it to the disk and renames it into
// place (`path`). A reader therefore never sees half a file, and a failure leaves an earlier file unchanged. The new
// file has the permissions that the umask leaves of 0666.
//
// If `path` is a symbolic link, its target is replaced and the link stays. Only regular files are replaced. All others
// are written directly: a device, a FIFO, and any file that a process has open already (/dev/stdout, /proc/self/fd/3).
//
// Throws ResourceError that names `path` if the folder is missing or not writable, if the disk is full, or if nobody
// reads any more. Throws Interrupted if a signal ends the wait for a reader of a FIFO.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sotto::apps {

void write_file(const std::filesystem::path& path, std::string_view contents);

struct NewFile {
  std::filesystem::path path;
  std::string contents;
};
// Writes files that belong together. The first file appears once all of them are on the disk, so that no file is
// replaced if another file cannot be written. Files that are written directly come last.
void write_files(std::span<const NewFile> files);

// The place where write_file() writes the contents for a path.
struct OutputPlace {
  std::filesystem::path path;  // a link in the last name is followed
  bool by_rename = true;       // false: the file exists and is written directly
};
// Throws ResourceError if links form a circle or their folder cannot be searched.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path& path);

// Folders and files that hold secrets: only their owner may read them.

// Makes a folder of mode 0700 in an existing parent. False if the name exists already. Throws ResourceError if the
// folder cannot be made.
bool make_private_folder(const std::filesystem::path& folder);

// Does the same for an empty file of mode 0600. The files that SQLite puts next to a database have the database's mode.
bool make_private_file(const std::filesystem::path& file);

// Checks access as ssh does for keys. Throws InputError with the remedy ("run `chmod 600` on it") if others than the
// owner have access. A missing file is accepted, because opening it gives a better error.
void require_private(const std::filesystem::path& path, const char* remedy);

// A folder for the files of one run that only the user can read. The folder is removed with all its content.
class PrivateFolder {
 public:
  // Throws ResourceError if the folder cannot be made.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::apps
