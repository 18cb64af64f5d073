// A config before its values are interpreted, with the origin of each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sotto::apps {

struct Origin {
  std::string name;              // such as "--data"
  std::size_t line = 0;          // 0 unless the origin is a file
  std::size_t column = 0;        // 0 unless the origin is a file
  std::filesystem::path folder;  // base of relative paths

  // Such as "party_0.toml:7:9".
  [[nodiscard]] std::string where() const;
  // Such as "party_0.toml:7".
  [[nodiscard]] std::string brief() const;
};

// An array of texts becomes a std::vector. A date, a table, or any other array becomes std::monostate.
using ConfigScalar = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct ConfigValue {
  ConfigScalar value;
  Origin origin;
};

class Keys;
struct Program;

struct ConfigDocument {
  const Keys* keys = nullptr;
  const Program* program = nullptr;
  std::string file;
  std::map<std::string, std::map<std::string, ConfigValue>> tables;

  [[nodiscard]] const ConfigValue* find(const std::string& table, const std::string& key) const;
};

enum class Unknown : std::uint8_t { refused, skipped };

// `keys` must outlive the document. Throws an InputError with file, line and column if the text is no valid config.
// Unknown::skipped omits unknown tables and keys.
[[nodiscard]] ConfigDocument parse_document(const Keys& keys, const std::string& text,
                                            const std::filesystem::path& file, Unknown unknown = Unknown::refused);
// The file has at most 64 KB.
[[nodiscard]] ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file);

}  // namespace sotto::apps
