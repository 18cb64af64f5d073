// Writes files that appear either completely or not at all.
//
// write_file writes the contents to a temporary file in the same folder, flushes it to the disk and renames it into
// place (`path`). A reader therefore never sees half a file, and a failure leaves an earlier file unchanged. The new
// file has mode 0666, less the umask.
//
// If `path` is a symbolic link, write_file() replaces the target and keeps the link. Only regular files are replaced. A
// device, a FIFO, and a file that a process has open already (/dev/stdout, /proc/self/fd/3) are written directly.
//
// Throws a ResourceError that names `path` if the folder is missing or not writable, if the disk is full, or if nobody
// reads the pipe any more. Throws Interrupted if a signal ends the wait for a reader of a FIFO.
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
// Writes files that belong together. The first file appears once all files are on the disk, so that no file is replaced
// if another file cannot be written. Files that are written directly are written last.
void write_files(std::span<const NewFile> files);

// The file to which write_file() writes the contents for a given path, and whether write_file() puts that file in place
// by a rename.
struct OutputPlace {
  std::filesystem::path path;  // the path after following links in its last name
  bool by_rename = true;       // false: the file exists, and write_file() writes it directly
};
// Finds the place for `path`. Throws ResourceError if links form a circle or the folder of a link cannot be searched.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path& path);

// The functions below make and check folders and files for secrets, which only their owner may read.

// Makes a folder of mode 0700 in an existing parent. Returns false if the name exists already. Throws ResourceError if
// the folder cannot be made.
bool make_private_folder(const std::filesystem::path& folder);

// Makes an empty file of mode 0600, in the same way as make_private_folder(). The files that SQLite puts next to a
// database have the mode of the database.
bool make_private_file(const std::filesystem::path& file);

// Checks who has access to a file or a folder, as ssh does for its key files. Throws InputError with the remedy ("run
// `chmod 600` on it") if users other than the owner have access. A missing file is accepted, because opening the file
// later gives a better error.
void require_private(const std::filesystem::path& path, const char* remedy);

// A folder for the files of one run that only the user can read. The destructor removes the folder with all its
// content.
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
