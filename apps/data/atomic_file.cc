#include "apps/data/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw ResourceError(
      fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(error)));
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() /
         fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
}

// The open temporary file; removed again unless it was renamed into place.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target)
      : target_(target), name_(temporary_name(target)) {
    fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail(target_, errno);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view contents) {
    while (!contents.empty()) {
      const ssize_t written = ::write(fd_, contents.data(), contents.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target_, errno);
      contents.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void put_in_place() {
    // Some file systems cannot flush a single file; the rename is still atomic for every reader
    // there.
    if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOSYS) fail(target_, errno);
    if (::close(std::exchange(fd_, -1)) != 0) fail(target_, errno);
    if (std::rename(name_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    renamed_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path name_;
  int fd_ = -1;
  bool renamed_ = false;
};

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view contents) {
  Temporary temporary(path);
  temporary.write(contents);
  temporary.put_in_place();
}

}  // namespace sotto::apps
