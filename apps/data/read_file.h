// Reads a whole input file into memory, with the errors that a user of the command line should see.
//
// Throws InputError that names the file when it is missing, not readable, a folder, or larger than
// `limit` bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace sotto::apps {

std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 32);

}  // namespace sotto::apps
