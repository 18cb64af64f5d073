// A config as tables of values, before the values are interpreted. Each value has its origin, so that an error can name
// the file, the environment variable or the flag that the value comes from.
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
  std::string name;              // name of the file or the flag or the variable: "SOTTO_RUN_STEPS", "--set", "--data"
  std::size_t line = 0;          // line in a file, from 1; 0 for other origins
  std::size_t column = 0;        // column in that line, from 1; 0 for other origins
  std::filesystem::path folder;  // absolute path of the folder to which relative paths refer

  // The origin in errors: "conf/party_0.toml:7:9", or the name.
  [[nodiscard]] std::string where() const;
  // The short form of the origin, for people who read a config: "party_0.toml:7", or the name.
  [[nodiscard]] std::string brief() const;
};

// The value of a key. An array becomes a list of texts, and whole numbers in an array become texts. The type
// std::monostate represents a value that no key of a config can have: a date, a table, or an array of other values.
using ConfigScalar = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct ConfigValue {
  ConfigScalar value;
  Origin origin;
};

class Keys;
struct Program;

struct ConfigDocument {
  const Keys* keys = nullptr;        // the keys that the document may have
  const Program* program = nullptr;  // the program of the config, once it is known
  std::string file;
  std::map<std::string, std::map<std::string, ConfigValue>> tables;

  // The value of the key; null if the document does not have the key.
  [[nodiscard]] const ConfigValue* find(const std::string& table, const std::string& key) const;
};

// Parses the text of a config, which is TOML with every key in a table.

enum class Unknown : std::uint8_t { refused, skipped };

// The keys in `text` must be among `keys`, which must live as long as the document. `file` is the name for messages,
// and relative paths refer to the folder of `file`. Throws InputError with file, line and column. The error for an
// unknown table or key suggests the name that was probably meant. With Unknown::skipped, unknown tables and keys are
// left out.
[[nodiscard]] ConfigDocument parse_document(const Keys& keys, const std::string& text,
                                            const std::filesystem::path& file, Unknown unknown = Unknown::refused);
// Does the same as parse_document() for a file of at most 64 KB (toml_text.h).
[[nodiscard]] ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file);

}  // namespace sotto::apps
