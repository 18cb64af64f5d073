// Small files that hold secrets: read only where nobody else can read them, written so that nobody else ever could, and
// wiped from memory after use.
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
  // Forgets what is behind `size` bytes, which must not be more than there are.
  void cut(std::size_t size);

 private:
  std::vector<char> bytes_;
};

enum class Readers : std::uint8_t { anybody, owner_only };

// A regular file of at most 64 KiB, whole. Throws InputError that names it, among them one with the chmod to run where
// `readers` is owner_only and the group or others have any permission.
[[nodiscard]] SecretText read_small_file(const std::filesystem::path& path, Readers readers);

// Makes a new file with these permissions, whole or not at all: it is written under another name and renamed when it is
// on the disk. Throws InputError if `path` exists, ResourceError if it cannot be written.
void write_new_file(const std::filesystem::path& path, std::string_view contents, unsigned mode);

}  // namespace sotto::net
