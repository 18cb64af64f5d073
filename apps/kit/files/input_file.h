// The bytes of an input file in pieces, whatever it is: a file, a pipe or a device that never ends takes the memory of
// the piece that is asked for, and is read up to a stated number of bytes.
//
// Throws InputError that names the file: it is missing, not readable, a folder, or larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sotto/core/system/descriptor.h"

namespace sotto::apps {

class InputFile {
 public:
  InputFile(const std::filesystem::path& path, std::uint64_t most_bytes);

  // As many as there are up to `size`, which is above 0; none at the end of the file alone.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Descriptor descriptor_;
};

// Whether there is something of that name. Throws InputError where the system does not say: a folder on the way cannot
// be searched, links lead round in a circle, the name is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

// The whole file, with the same errors; it takes no more memory than `limit` and a piece.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

// Of JSON files that sotto has written and reads again: records of a run, reports of roles.
inline constexpr std::size_t longest_report = std::size_t{1} << 30;  // of a role, with an arm a step
inline constexpr std::size_t most_json_levels = 16;                  // of arrays and objects; sotto writes five

// `what` is what the file should be: "the report of a role". Throws InputError with file, line and column where it is
// no JSON or deeper, and that names the file where it cannot be read or is larger than `most_bytes`.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path, std::string_view what,
                                       std::size_t most_bytes);

}  // namespace sotto::apps
