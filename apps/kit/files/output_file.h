// Files that appear whole or not at all.
//
// write_file writes the contents to a temporary file in the same folder, flushes it to the disk and renames it over
// `path`, so that a reader never sees half a file and a failure leaves an earlier file as it was. The new file has the
// permissions that the umask leaves of 0666.
//
// Where `path` is a symbolic link, the file that it leads to is replaced and the link stays. Only regular files are
// replaced. Others are written through: a device, a FIFO, and anything that a process has open already (/dev/stdout,
// /proc/self/fd/3), even a file.
//
// Throws ResourceError that names `path` when the folder is missing or not writable, the disk is full, or nobody reads
// any more; Interrupted where a signal ends the wait for a reader of a FIFO.
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
// Files that belong together: the first appears once all of them are on the disk, so that nothing is half-written where
// one cannot be. What is written through comes last.
void write_files(std::span<const NewFile> files);

// Where write_file() puts what is meant for a path.
struct OutputPlace {
  std::filesystem::path path;  // links of the last name are followed
  bool by_rename = true;       // else it is there, and written through
};
// Throws ResourceError where links lead round in a circle or their folder cannot be searched.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path& path);

// Folders and files that hold secrets: their owner alone may read them.

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
