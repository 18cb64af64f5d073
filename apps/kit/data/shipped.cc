#include "sotto/apps/kit/data/shipped.h"

#include <system_error>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

std::filesystem::path shipped_digits() {
  std::error_code ignored;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  // Both are set by the build: the way from the folder of programs to that of data, and the source tree.
  for (const auto& folder : {executable.parent_path() / SOTTO_SHARE_PATH, std::filesystem::path(SOTTO_DATA_DIR)}) {
    const auto path = folder / "digits.csv";
    if (std::filesystem::exists(path, ignored)) return path.lexically_normal();
  }
  throw InputError(
      "the digits that come with sotto are not where it was installed; name the file digits.csv with --input");
}

}  // namespace sotto::apps
