// Reads a whole input file into memory, with the errors that a user of the command line should see.
//
// Throws InputError that names the file when it is missing, not readable, a folder, or larger than
// `limit` bytes. It is read in pieces: a pipe or a device that never ends takes no more than that.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace sotto::apps {

// Whether there is something of that name. Throws InputError where the system does not say: a folder on
// the way cannot be searched, links lead round in a circle, the name is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

}  // namespace sotto::apps
