// What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput; libFuzzer drives it in a build with
// SOTTO_BUILD_FUZZERS, replay_main.cc runs it over its corpus in every other build.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sotto::fuzz {

// Ends the process where a property does not hold, in every kind of build.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: not so: %s\n", what);
  std::abort();
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

// Takes numbers off the front of the input; zeros once it is used up.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> input) : input_(input) {}
  [[nodiscard]] unsigned byte() {
    if (input_.empty()) return 0;
    const auto value = std::to_integer<unsigned>(input_.front());
    input_ = input_.subspan(1);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
    const auto taken = input_.first(count < input_.size() ? count : input_.size());
    input_ = input_.subspan(taken.size());
    return taken;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return input_; }

 private:
  std::span<const std::byte> input_;
};

// The input as a file that no disk holds, for readers that take a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("input", 0)) {
    // As key files are.
    if (descriptor_ < 0 || ::fchmod(descriptor_, 0600) != 0) {
      throw std::runtime_error("no file in memory");
    }
    for (std::size_t done = 0; done < size;) {
      const ssize_t written = ::write(descriptor_, data + done, size - done);
      if (written <= 0) throw std::runtime_error("no room for a file in memory");
      done += static_cast<std::size_t>(written);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A new folder of this process, which goes away when it ends; for what takes more than one file.
inline std::filesystem::path temporary_folder() {
  struct Folder {
    Folder() {
      const char* const memory = "/dev/shm";
      const bool has_memory = ::access(memory, W_OK) == 0;
      std::string pattern =
          ((has_memory ? std::filesystem::path(memory) : std::filesystem::temp_directory_path()) / "sotto-fuzz-XXXXXX")
              .string();
      if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder");
      path = pattern;
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace sotto::fuzz
