// Writes a file so that the file appears either completely or not at all. The function write_file() writes a temporary
// file in the same folder, flushes it to the disk and renames it to `path`. A reader therefore never sees half a file,
// and a failure leaves an earlier file unchanged. The new file has mode 0666, less the umask.
//
// If `path` is a symbolic link, write_file() replaces the target and keeps the link. A device, a FIFO, and a file that
// a process has open (/dev/stdout, /proc/self/fd/3) are written directly.
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
// All files are on the disk before the first file appears, so no file is replaced if another file cannot be written.
// Files that are written directly are written last.
void write_files(std::span<const NewFile> files);

struct OutputPlace {
  std::filesystem::path path;  // after following links
  bool by_rename = true;       // false if write_file() writes to the existing file directly
};
// Throws ResourceError if links form a circle.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path& path);

// Makes a folder of mode 0700 in an existing parent. Throws ResourceError if the folder cannot be made.
bool make_private_folder(const std::filesystem::path& folder);

bool make_private_file(const std::filesystem::path& file);

// Throws InputError with the remedy ("run `chmod 600` on it") if users other than the owner have access. A missing file
// is accepted.
void require_private(const std::filesystem::path& path, const char* remedy);

// The folder has mode 0700, and the destructor removes it.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::apps
