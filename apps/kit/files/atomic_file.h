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

}  // namespace sotto::apps
