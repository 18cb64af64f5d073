// The digest of a file of data, by which it is known again.
#pragma once

#include <filesystem>
#include <string>

namespace sotto::apps {

// "sha256:" and 64 hex digits. Throws InputError where the file cannot be read.
[[nodiscard]] std::string file_digest(const std::filesystem::path& file);

}  // namespace sotto::apps
