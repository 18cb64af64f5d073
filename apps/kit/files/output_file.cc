#include "apps/kit/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <system_error>
#include <vector>

#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw ResourceError(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(error)));
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() / fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
}

bool write_some(int fd, std::string_view& contents, const std::filesystem::path& target) {
  const ssize_t written = ::write(fd, contents.data(), contents.size());
  if (written < 0 && errno == EINTR) return false;
  if (written < 0) fail(target, errno);
  contents.remove_prefix(static_cast<std::size_t>(written));
  return true;
}

class Temporary {
 public:
  Temporary(const std::filesystem::path& target, const std::filesystem::path& shown)
      : target_(target),
        shown_(shown),
        name_(temporary_name(target)),
        file_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (file_.get() < 0) fail(shown_, errno);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view contents) {
    while (!contents.empty()) write_some(file_.get(), contents, shown_);
  }

  void flush() {
    // Even without fsync(), the rename is atomic for every reader.
    if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOSYS) fail(shown_, errno);
    if (!file_.close()) fail(shown_, errno);
  }

  void put_in_place() {
    if (std::rename(name_.c_str(), target_.c_str()) != 0) fail(shown_, errno);
    renamed_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path shown_;
  std::filesystem::path name_;
  Descriptor file_;
  bool renamed_ = false;
};

std::filesystem::path folder_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto parent = path.parent_path();
  auto folder = std::filesystem::canonical(parent.empty() ? "." : parent, error);
  return error ? parent : folder;
}

// A link /proc/PID/fd/N may lead to something that has no path.
bool is_open_file(const std::filesystem::path& link) {
  struct statfs system {};
  return ::statfs(folder_of(link).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Returns the descriptor if `path` names an open descriptor of this process, and -1 otherwise. A write through this
// descriptor continues at the file's current position.
int own_descriptor(const std::filesystem::path& path) {
  if (folder_of(path) != std::filesystem::path("/proc") / std::to_string(::getpid()) / "fd") return -1;
  return std::atoi(path.filename().c_str());
}

int open_as_it_is(const std::filesystem::path& path) {
  const int own = own_descriptor(path);
  if (own == STDOUT_FILENO) std::fflush(stdout);
  if (own >= 0) return ::fcntl(own, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
}

// A FIFO may never get a reader, so a signal must end the wait.
void write_through(const std::filesystem::path& path, const std::filesystem::path& shown, std::string_view contents) {
  const Descriptor file(open_as_it_is(path));
  if (file.get() < 0 && errno == EINTR) throw Interrupted();
  if (file.get() < 0) fail(shown, errno);
  while (!contents.empty()) {
    if (!write_some(file.get(), contents, shown)) throw Interrupted();
  }
}

namespace fs = std::filesystem;

bool made(const fs::path& path, const char* what, bool success, int error) {
  if (success) return true;
  if (error == EEXIST) return false;
  throw ResourceError(
      fmt::format("{}: the {} cannot be made here: {}", path.string(), what, std::generic_category().message(error)));
}

}  // namespace

OutputPlace output_place(const std::filesystem::path& path) {
  constexpr int most_links = 40;
  OutputPlace place{path};
  for (int links = 0;; ++links) {
    struct stat status {};
    if (::lstat(place.path.c_str(), &status) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return place;
      fail(path, errno);
    }
    if (!S_ISLNK(status.st_mode) || is_open_file(place.path)) {
      // A rename onto a folder fails with a clear message.
      place.by_rename = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
      return place;
    }
    if (links == most_links) fail(path, ELOOP);
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(place.path, error);
    if (error) fail(path, error.value());
    place.path = place.path.parent_path() / next;
  }
}

void write_file(const std::filesystem::path& path, std::string_view contents) {
  const OutputPlace place = output_place(path);
  if (!place.by_rename) return write_through(place.path, path, contents);
  Temporary temporary(place.path, path);
  temporary.write(contents);
  temporary.flush();
  temporary.put_in_place();
}

void write_files(std::span<const NewFile> files) {
  std::deque<Temporary> written;  // a Temporary cannot be moved
  std::vector<const NewFile*> others;
  others.reserve(files.size());
  for (const NewFile& file : files) {
    const OutputPlace place = output_place(file.path);
    if (!place.by_rename) {
      others.push_back(&file);
      continue;
    }
    // A rename onto a folder would fail after other files were renamed.
    std::error_code ignored;
    if (std::filesystem::is_directory(place.path, ignored)) fail(file.path, EISDIR);
    Temporary& temporary = written.emplace_back(place.path, file.path);
    temporary.write(file.contents);
    temporary.flush();
  }
  for (Temporary& temporary : written) temporary.put_in_place();
  for (const NewFile* const file : others) write_file(file->path, file->contents);
}

bool make_private_folder(const fs::path& folder) {
  const int result = ::mkdir(folder.c_str(), 0700);
  return made(folder, "folder", result == 0, errno);
}

bool make_private_file(const fs::path& file) {
  const Descriptor made_one(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  return made(file, "file", made_one.get() >= 0, errno);
}

void require_private(const fs::path& path, const char* remedy) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if ((status.st_mode & 077) != 0) {
    throw InputError(path.string(), fmt::format("others than its owner have access to it (mode {:04o}): {}",
                                                status.st_mode & 07777, remedy));
  }
}

PrivateFolder::PrivateFolder() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  // A relative path in a config is relative to the config's folder.
  base = std::filesystem::absolute(base);
  std::string pattern = (base / "sotto-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {  // with mode 0700
    throw ResourceError(
        fmt::format("{}: no folder for the run can be made here: {}; set TMPDIR", base.string(), std::strerror(errno)));
  }
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sotto::apps
