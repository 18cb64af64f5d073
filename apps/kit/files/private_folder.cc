#include "sotto/apps/kit/files/private_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

PrivateFolder::PrivateFolder() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  // The paths go into configs of the same folder, which would take relative ones as relative to it.
  base = std::filesystem::absolute(base);
  std::string pattern = (base / "sotto-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {  // with mode 0700
    throw ResourceError(fmt::format("{}: no folder for the run can be made here: {}; set TMPDIR",
                                    base.string(), std::strerror(errno)));
  }
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sotto::apps
