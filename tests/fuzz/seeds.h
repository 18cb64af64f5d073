// The seeds of the fuzz targets: inputs that the encoders make, and the entries of seeds/GROUP.txt.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sotto::fuzz {

using Bytes = std::vector<std::byte>;

void write(const std::filesystem::path& file, const Bytes& bytes);
void append(Bytes& to, const Bytes& bytes);

void write_net_seeds(const std::filesystem::path& corpus);
void write_apps_seeds(const std::filesystem::path& corpus);

}  // namespace sotto::fuzz
