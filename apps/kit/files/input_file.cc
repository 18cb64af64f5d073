#include "sotto/apps/kit/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw InputError(name, "cannot read the file: " + std::generic_category().message(error));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, std::uint64_t most_bytes)
    : name_(path.string()), most_bytes_(most_bytes), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_.get() < 0) fail(name_, errno);
}

std::size_t InputFile::read(char* into, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor_.get(), into, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, errno);
    bytes_ += static_cast<std::uint64_t>(got);
    if (bytes_ > most_bytes_) {
      throw InputError(name_, fmt::format("the file is larger than {} bytes", most_bytes_));
    }
    return static_cast<std::size_t>(got);
  }
}

bool file_exists(const std::filesystem::path& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) throw InputError(path.string(), "cannot be read: " + error.message());
  return found;
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  InputFile file(path, limit);
  std::string contents;
  for (std::size_t size = 0;;) {
    // One byte more than there may be, to see that there are more.
    contents.resize(std::min(size + piece, limit + 1));
    const std::size_t got = file.read(contents.data() + size, contents.size() - size);
    size += got;
    if (got > 0) continue;
    contents.resize(size);
    return contents;
  }
}

}  // namespace sotto::apps
