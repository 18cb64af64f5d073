// A function a target: the file that holds the input, and its size.
#pragma once

#include <cstddef>
#include <filesystem>

namespace sotto::fuzz {

void csv(const std::filesystem::path& path, std::size_t size);
void idx(const std::filesystem::path& path, std::size_t size);
void long_form(const std::filesystem::path& path, std::size_t size);
void criteo(const std::filesystem::path& path, std::size_t size);
void libsvm(const std::filesystem::path& path, std::size_t size);
void arff(const std::filesystem::path& path, std::size_t size);
void users(const std::filesystem::path& path, std::size_t size);
void tuples(const std::filesystem::path& path, std::size_t size);
void encoder(const std::filesystem::path& path, std::size_t size);

}  // namespace sotto::fuzz
