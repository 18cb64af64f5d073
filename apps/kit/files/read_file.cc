#include "sotto/apps/kit/files/read_file.h"

#include <algorithm>
#include <system_error>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

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
