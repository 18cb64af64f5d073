// Small files that hold secrets. A file with a secret is read only if nobody else can read it, and is written so that
// nobody else could ever read it. The contents of such files are wiped from memory after use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace sotto::net {

// Bytes that are wiped when they are destroyed or moved away.
class SecretText {
 public:
  explicit SecretText(std::size_t size) : bytes_(size) {}
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;
  SecretText(SecretText&& other) noexcept = default;  // takes the storage, copies nothing
  SecretText& operator=(SecretText&& other) = delete;
  ~SecretText();

  [[nodiscard]] char* data() noexcept { return bytes_.data(); }
  [[nodiscard]] const char* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  // Wipes and removes all bytes after the first `size` bytes. `size` must not be more than the current size.
  void cut(std::size_t size);

 private:
  std::vector<char> bytes_;
};

enum class Readers : std::uint8_t { anybody, owner_only };

// Reads a regular file of at most 64 KiB completely. Throws an InputError that names the file. If `readers` is
// owner_only and the group or others have any permission, the error also shows the chmod command to run.
[[nodiscard]] SecretText read_small_file(const std::filesystem::path& path, Readers readers);

// Makes a new file with the given permissions, completely or not at all: the file is written under another name and
// renamed once it is on the disk. Throws InputError if `path` exists, and ResourceError if the file cannot be written.
void write_new_file(const std::filesystem::path& path, std::string_view contents, unsigned mode);

}  // namespace sotto::net
