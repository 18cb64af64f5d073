// Every key that a role's config can have: the one list that the reader, the variables of the
// environment, the flags, `--print-config`, `sotto init` and the hints of error messages go by.
//
// A key belongs to a table of the file, [run], [link], [role], [peers] or [trust]. The key k of
// table t is also the variable SOTTO_<T>_<K> in capitals, the flag `--set t.k=value`, and, where a
// role's user often needs it, a flag with a name of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

// What a value is in TOML.
enum class ValueKind : std::uint8_t {
  text,    // "..."
  path,    // "...", relative to the folder of the file, or of the process for flags and variables
  whole,   // a whole number, 0 to 2^63 - 1
  real,    // a number, with or without a point
  choice,  // true or false
};

// Which runs have a key.
enum class KeyOf : std::uint8_t { every_run, bandit, o3m };

struct ConfigKey {
  std::string table;
  std::string name;
  ValueKind kind = ValueKind::text;
  std::string expected;  // "<name> in [<table>] must be <expected>"
  std::string help;      // what it means, a sentence without a full stop
  std::string flag;      // "--data", or empty
  KeyOf of = KeyOf::every_run;

  // "SOTTO_ROLE_DATA".
  [[nodiscard]] std::string variable() const;
  // "role.data".
  [[nodiscard]] std::string path() const { return table + "." + name; }
};

// In the order in which a file has them.
[[nodiscard]] const std::vector<ConfigKey>& config_keys();

// "the private bandit" or "O3M", of a key that only one of them has.
[[nodiscard]] std::string protocol_name(KeyOf of);

// Null if there is no such key.
[[nodiscard]] const ConfigKey* find_key(std::string_view table, std::string_view name);

// The names of the tables, and of the keys of one.
[[nodiscard]] const std::vector<std::string>& config_tables();
[[nodiscard]] std::vector<std::string> key_names(std::string_view table);

}  // namespace sotto::apps
