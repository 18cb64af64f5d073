// JSON files that sotto has written and reads again: records of a run, reports of roles.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace sotto::apps {

inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // of a role, with an arm a step
inline constexpr std::size_t most_json_levels = 16;                  // of arrays and objects; sotto writes five

// `what` is what the file should be: "the report of a role". Throws InputError with file, line and column where it is
// no JSON or deeper, and that names the file where it cannot be read or is larger than `most_bytes`.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

}  // namespace sotto::apps
