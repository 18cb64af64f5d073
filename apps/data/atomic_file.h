// Files that appear whole or not at all.
//
// write_file writes the contents to a temporary file in the same folder, flushes it to the disk and
// renames it over `path`, so that a reader never sees half a file and a failure leaves an earlier
// file as it was. The new file has the permissions that the umask leaves of 0666.
//
// Throws ResourceError that names `path` when the folder is missing or not writable, or the disk is
// full.
#pragma once

#include <filesystem>
#include <string_view>

namespace sotto::apps {

void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace sotto::apps
