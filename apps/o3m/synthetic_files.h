// The files of an O3M run on generated data: a linear bandit (apps/kit/learn/instance.h) whose features are split
// between participants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "apps/o3m/files.h"

namespace sotto::apps::o3m {

struct SyntheticO3m {
  std::uint64_t steps = 1000;
  std::size_t arms = 10;
  std::vector<std::size_t> split{10, 10, 10};  // of features; the active participant comes first
  double noise_sd = 0.05;
  std::uint64_t seed = 1;
  std::filesystem::path output;  // created if needed
};

// Writes active.csv, passive_1.csv, ... and environment.csv, all in long form. Throws InputError, which names the flag,
// or ResourceError if a file cannot be written.
[[nodiscard]] O3mFiles write_synthetic_o3m(const SyntheticO3m& options);

}  // namespace sotto::apps::o3m
