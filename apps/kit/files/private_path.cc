#include "apps/kit/files/private_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

// False if it was there; `error` is what the system said.
bool made(const fs::path& path, const char* what, bool success, int error) {
  if (success) return true;
  if (error == EEXIST) return false;
  throw ResourceError(
      fmt::format("{}: the {} cannot be made here: {}", path.string(), what, std::generic_category().message(error)));
}

}  // namespace

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
  // The paths go into configs of the same folder, which would take relative ones as relative to it.
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
