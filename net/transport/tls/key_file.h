// A file with a secret is read only if nobody else can read it, and is written so that nobody else could ever read it.
// Its contents are wiped from memory after use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace sotto::net {

// Wiped when destroyed.
class SecretText {
 public:
  explicit SecretText(std::size_t size) : bytes_(size) {}
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;
  SecretText(SecretText&& other) noexcept = default;  // leaves no copy of the secret
  SecretText& operator=(SecretText&& other) = delete;
  ~SecretText();

  [[nodiscard]] char* data() noexcept { return bytes_.data(); }
  [[nodiscard]] const char* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  // Wipes all bytes after the first `size`.
  void cut(std::size_t size);

 private:
  std::vector<char> bytes_;
};

enum class Readers : std::uint8_t { anybody, owner_only };

// Reads a regular file of at most 64 KiB. Throws an InputError that names the file. With owner_only, the function
// refuses a file with any permission for others.
[[nodiscard]] SecretText read_small_file(const std::filesystem::path& path, Readers readers);

// Writes the file under another name and renames it once it is on the disk. Throws InputError if `path` exists, and
// ResourceError if the file cannot be written.
void write_new_file(const std::filesystem::path& path, std::string_view contents, unsigned mode);

}  // namespace sotto::net
