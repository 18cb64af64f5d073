#include "sotto/apps/kit/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw InputError(name, "cannot read the file: " + std::generic_category().message(error));
}

// "FILE:line:column" of the byte before which the parser stopped.
std::string place(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view read = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  const std::size_t begin = read.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("{}:{}:{}", file, line, read.size() - begin + 1);
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

nlohmann::json read_json(const std::filesystem::path& path, std::string_view what, std::size_t most_bytes) {
  const std::string text = read_file(path, most_bytes);
  const auto check_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth <= static_cast<int>(most_json_levels)) return true;
    throw InputError(path.string(), fmt::format("is not {}: it has more than {} levels", what, most_json_levels));
  };
  try {
    return nlohmann::json::parse(text, check_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(place(path.string(), text, error.byte), fmt::format("is not {}: this is no JSON", what));
  } catch (const nlohmann::json::out_of_range&) {
    throw InputError(path.string(), fmt::format("is not {}: a number in it fits no double", what));
  }
}

}  // namespace sotto::apps
