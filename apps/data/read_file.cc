#include "apps/data/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw InputError(path.string(),
                   "cannot read the file: " + std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd_); }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, errno);
  std::string contents;
  // The size is a hint only: a pipe has none, and a file may grow while it is read.
  constexpr std::size_t step = std::size_t{1} << 20;
  const auto hint = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  contents.resize(std::min(hint, limit) + 1);
  for (std::size_t size = 0;;) {
    if (size == contents.size()) contents.resize(size + step);
    const ssize_t got = ::read(file.get(), contents.data() + size, contents.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    size += static_cast<std::size_t>(got);
    if (size > limit) {
      throw InputError(path.string(), fmt::format("the file is larger than {} bytes", limit));
    }
    if (got == 0) {
      contents.resize(size);
      return contents;
    }
  }
}

}  // namespace sotto::apps
