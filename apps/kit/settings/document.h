// A config as tables of values, before anything is made of them: each value knows where it came from, so that an error
// about it can say so, whether it stood in the file, in a variable of the environment or in a flag.
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
  std::string name;              // the file, "SOTTO_RUN_STEPS", "--set", "--data"
  std::size_t line = 0;          // in a file, from 1; 0 elsewhere
  std::size_t column = 0;        // likewise
  std::filesystem::path folder;  // what a relative path is relative to; absolute

  // For errors: "conf/party_0.toml:7:9", or the name.
  [[nodiscard]] std::string where() const;
  // For people who read a config: "party_0.toml:7", or the name.
  [[nodiscard]] std::string brief() const;
};

// Texts or whole numbers of an array, as texts; monostate for what no key of a config can be: a date, a table, an array
// of others.
using ConfigScalar = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct ConfigValue {
  ConfigScalar value;
  Origin origin;
};

class Keys;
struct Program;

struct ConfigDocument {
  const Keys* keys = nullptr;        // those that may stand in it
  const Program* program = nullptr;  // whose config it is, once that is known
  std::string file;
  std::map<std::string, std::map<std::string, ConfigValue>> tables;

  // Null if it is not there.
  [[nodiscard]] const ConfigValue* find(const std::string& table, const std::string& key) const;
};

// A config from its text: TOML whose keys all stand in a table.

enum class Unknown : std::uint8_t { refused, skipped };

// The keys must be among `keys`, which live as long as the document. `file` is
// the name for messages and gives the folder. Throws InputError with file, line and column; an unknown table or key
// gets a hint at what was probably meant, or is left out.
[[nodiscard]] ConfigDocument parse_document(const Keys& keys, const std::string& text,
                                            const std::filesystem::path& file, Unknown unknown = Unknown::refused);
// The same of a file of at most 64 KB (toml_text.h).
[[nodiscard]] ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file);

}  // namespace sotto::apps
