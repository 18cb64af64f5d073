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

// Texts or whole numbers of an array, as texts; monostate for what no key of a config can be: a date, a table, an array of others.
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

enum class Unknown : std::uint8_t { refused, skipped };

// Reads TOML whose keys all stand in a table, and must be among `keys`, which live as long as the document. `file` is
// the name for messages and gives the folder. Throws InputError with file, line and column; an unknown table or key
// gets a hint at what was probably meant, or is left out.
[[nodiscard]] ConfigDocument parse_document(const Keys& keys, const std::string& text,
                                            const std::filesystem::path& file, Unknown unknown = Unknown::refused);
// The same of a file of at most 64 KB (toml_text.h).
[[nodiscard]] ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file);

// Reads one table of a config document: values of the type and range that their key wants, or an InputError that starts
// with the value's origin and says what was expected.
struct Setting;

class Section {
 public:
  Section(const ConfigDocument& document, std::string table) : document_(document), table_(std::move(table)) {}

  // Each throws std::invalid_argument if no program has such a key.
  // Without control characters.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  // A text, or the digits of a whole number.
  [[nodiscard]] std::optional<std::string> text_or_whole(const std::string& key) const;
  // Of an option: the elements of an array, or the one value as text. Numbers where the key wants them; paths are
  // absolute. Empty if the key is not there.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::optional<bool> choice(const std::string& key) const;
  // From `least` to `most`.
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key, std::uint64_t least,
                                                   std::uint64_t most) const;
  // A finite number, also when it is written without a point. Check further with `refuse`.
  [[nodiscard]] std::optional<double> real(const std::string& key) const;
  // Absolute, and empty for an empty text as for one that is not there.
  [[nodiscard]] std::filesystem::path path(const std::string& key) const;

  // InputError if the key is not there: what it must be and the ways to give it.
  [[noreturn]] void refuse_missing(const std::string& key) const;

  // InputError: the value is not what the key wants.
  [[noreturn]] void refuse(const std::string& key) const;

  // Where the value stands, for an error: "party_0.toml:7:3: steps in [run]".
  [[nodiscard]] std::string where(const std::string& key) const;

 private:
  [[nodiscard]] const Setting& known(const std::string& key) const;
  [[nodiscard]] const ConfigValue* find(const std::string& key) const;

  const ConfigDocument& document_;
  std::string table_;
};

}  // namespace sotto::apps
