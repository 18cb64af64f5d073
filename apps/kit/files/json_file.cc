#include "sotto/apps/kit/files/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// "FILE:line:column" of the byte before which the parser stopped.
std::string place(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view read = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  const std::size_t begin = read.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("{}:{}:{}", file, line, read.size() - begin + 1);
}

}  // namespace

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
