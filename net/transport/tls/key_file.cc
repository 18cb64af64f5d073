#include "net/transport/tls/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::size_t most_bytes = 64 * 1024;
constexpr mode_t others = S_IRWXG | S_IRWXO;

std::string text_of(int error) { return std::generic_category().message(error); }

class Temporary {
 public:
  Temporary(const std::filesystem::path& target, unsigned mode)
      : target_(target),
        name_(target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid())),
        file_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)) {
    if (file_.get() < 0) fail(errno);
    // Undoes the umask.
    if (::fchmod(file_.get(), mode) != 0) fail_and_remove();
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view contents) {
    while (!contents.empty()) {
      const ssize_t written = ::write(file_.get(), contents.data(), contents.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      contents.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
    if (!file_.close()) fail(errno);
  }

  void put_in_place() {
    int result = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
      // Some file systems lack RENAME_NOREPLACE. link() also fails if the name is taken.
      result = ::link(name_.c_str(), target_.c_str());
      if (result == 0) ::unlink(name_.c_str());
    }
    if (result != 0 && errno == EEXIST) refuse_existing(target_);
    if (result != 0) fail(errno);
    renamed_ = true;
  }

  [[noreturn]] static void refuse_existing(const std::filesystem::path& path) {
    throw InputError(path.string(),
                     "this file exists, and keys are never written over: choose another name, or move it away");
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw ResourceError(fmt::format("cannot write {}: {}", target_.string(), text_of(error)));
  }
  [[noreturn]] void fail_and_remove() const {
    const int error = errno;
    ::unlink(name_.c_str());  // the destructor does not run if the constructor throws
    fail(error);
  }

  std::filesystem::path target_;
  std::filesystem::path name_;
  Descriptor file_;
  bool renamed_ = false;
};

}  // namespace

SecretText::~SecretText() { cut(0); }

void SecretText::cut(std::size_t size) {
  if (bytes_.size() > size) OPENSSL_cleanse(bytes_.data() + size, bytes_.size() - size);
  bytes_.resize(size);
}

SecretText read_small_file(const std::filesystem::path& path, Readers readers) {
  const auto refuse = [&](const std::string& why) { throw InputError(path.string(), why); };
  // Without O_NONBLOCK, opening a pipe would wait.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) refuse(fmt::format("cannot be read: {}", text_of(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse(fmt::format("cannot be read: {}", text_of(errno)));
  if (!S_ISREG(status.st_mode)) refuse("is no regular file");
  if (readers == Readers::owner_only && (status.st_mode & others) != 0) {
    refuse(
        fmt::format("others than its owner can use this private key (mode {:04o}): run `chmod 600 {}`, and make a new "
                    "key if anybody may have read it",
                    status.st_mode & 07777, path.string()));
  }
  SecretText text(most_bytes + 1);
  std::size_t size = 0;
  for (;;) {
    const ssize_t bytes = ::read(file.get(), text.data() + size, text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) refuse(fmt::format("cannot be read: {}", text_of(errno)));
    if (bytes == 0) break;
    size += static_cast<std::size_t>(bytes);
    if (size > most_bytes) refuse("is too long for a key or certificate: over 64 KiB");
  }
  text.cut(size);
  return text;
}

void write_new_file(const std::filesystem::path& path, std::string_view contents, unsigned mode) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found) {
    Temporary::refuse_existing(path);
  }
  Temporary temporary(path, mode);
  temporary.write(contents);
  temporary.put_in_place();
}

}  // namespace sotto::net
