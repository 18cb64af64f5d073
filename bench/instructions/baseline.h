// The stored instruction counts, and how new ones compare with them.
//
// baseline.json: {"toolchain": {"compiler": ..., "flags": ..., ...}, "counts": {table: {name: count, ...}, ...}}, a
// table being a kernel table ("avx2"). New counts come as lines of table, tab, name, tab, count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sotto::instructions {

// What a count depends on besides the sources.
struct Toolchain {
  std::string compiler;
  std::string flags;
  std::string libraries;  // at run time: libc, libcrypto

  friend bool operator==(const Toolchain&, const Toolchain&) = default;
};

// Of this program.
[[nodiscard]] Toolchain this_toolchain();

struct Counts {
  Toolchain toolchain;
  std::map<std::string, std::map<std::string, std::uint64_t>> by_table;
};

// Throw std::runtime_error, naming the file, where it is missing or not what it should be.
[[nodiscard]] Counts read_baseline(const std::filesystem::path& path);
[[nodiscard]] Counts read_counts(const std::filesystem::path& path);

// Tables that were not counted are kept as they are in `old`, if they are of the same toolchain.
void write_baseline(const std::filesystem::path& path, const Counts& counts, const Counts& old);

// What the toolchain of `counts` has otherwise than the baseline: empty, or a sentence.
[[nodiscard]] std::string difference(const Toolchain& now, const Toolchain& baseline);

}  // namespace sotto::instructions
