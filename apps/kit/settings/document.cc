#include "sotto/apps/kit/settings/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/program/near_name.h"
#include "sotto/apps/kit/settings/program.h"
#include "sotto/apps/kit/settings/toml_file.h"
#include "sotto/apps/kit/settings/toml_text.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

// Names from a file may hold anything, and be of any length.
std::string shown(std::string_view text, std::size_t most = 40) {
  const std::string result = terminal_safe(text.substr(0, most));
  return text.size() > most ? result + "..." : result;
}

ConfigScalar scalar(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* array = node.as_array(); array != nullptr) {
    std::vector<std::string> texts;
    for (const toml::node& element : *array) {
      if (const auto* text = element.as_string()) texts.push_back(text->get());
      if (const auto* whole = element.as_integer()) texts.push_back(std::to_string(whole->get()));
    }
    if (texts.size() == array->size()) return texts;
  }
  return std::monostate{};
}

// "mask generator" of "mask_generator".
std::string spoken(std::string key) {
  for (char& c : key) c = c == '_' ? ' ' : c;
  return key;
}

[[noreturn]] void refuse_key(const Keys& keys, const std::string& where, const std::string& table,
                             const std::string& name) {
  if (table == "peers" && keys.find("trust", name) != nullptr) {
    throw InputError(where, fmt::format("the {} only connects; leave {} out of [peers]", spoken(name), name));
  }
  std::string hint = did_you_mean(name, keys.names(table));
  if (hint.empty()) {
    for (const std::string& other : keys.tables()) {
      if (keys.find(other, name) != nullptr) hint = fmt::format("; it belongs in [{}]", other);
    }
  }
  throw InputError(where, fmt::format("unknown key '{}' in [{}]{}", shown(name), table, hint));
}

// ", not 'ten'", where the value is short and can be shown to everybody.
std::string but_is(const Setting& key, const ConfigScalar& value) {
  constexpr std::size_t enough = 60;
  if (std::holds_alternative<std::monostate>(value)) return {};
  // Who knows the seed knows all masks; and a fingerprint's place may hold a key by mistake.
  if (key.name == "insecure_seed" || key.table == "trust" || key.table == Program::next_trust_table) return {};
  const std::string text = toml_text(value);
  return text.size() > enough ? "" : ", not " + text;
}

// Nothing in a config needs them, and in a message they would break its line.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

std::string Origin::where() const { return line == 0 ? name : fmt::format("{}:{}:{}", name, line, column); }

std::string Origin::brief() const {
  if (line == 0) return name;
  return fmt::format("{}:{}", std::filesystem::path(name).filename().string(), line);
}

const ConfigValue* ConfigDocument::find(const std::string& table, const std::string& key) const {
  const auto values = tables.find(table);
  if (values == tables.end()) return nullptr;
  const auto value = values->second.find(key);
  return value == values->second.end() ? nullptr : &value->second;
}

ConfigDocument parse_document(const Keys& keys, const std::string& text, const std::filesystem::path& file,
                              Unknown unknown) {
  ConfigDocument document;
  document.keys = &keys;
  document.file = file.string();
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const toml::table root = parse_toml(text, document.file);
  for (const auto& [table_key, table_node] : root) {
    const std::string table(table_key.str());
    const std::string where = toml_place(document.file, table_key.source());
    const toml::table* values = table_node.as_table();
    const bool lenient = unknown == Unknown::skipped;
    if (lenient && (values == nullptr || keys.names(table).empty())) continue;
    if (keys.names(table).empty()) {
      throw InputError(where,
                       fmt::format("unknown {} '{}'{}{}", values == nullptr ? "key" : "table", shown(table),
                                   values == nullptr ? " outside the tables" : "", did_you_mean(table, keys.tables())));
    }
    if (values == nullptr) throw InputError(where, fmt::format("[{}] must be a table", table));
    for (const auto& [key, node] : *values) {
      const std::string name(key.str());
      if (keys.find(table, name) == nullptr) {
        if (lenient) continue;
        refuse_key(keys, toml_place(document.file, key.source()), table, name);
      }
      const toml::source_position at = node.source().begin;
      document.tables[table][name] = ConfigValue{scalar(node), Origin{document.file, at.line, at.column, folder}};
    }
  }
  return document;
}

ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file) {
  return parse_document(keys, read_file(file, longest_config), file);
}

std::optional<std::string> Section::text(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = std::get_if<std::string>(&value->value);
  if (text == nullptr || has_control_characters(*text)) refuse(key);
  return *text;
}

std::optional<std::string> Section::text_or_whole(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (value != nullptr && std::holds_alternative<std::int64_t>(value->value)) {
    return toml_text(value->value);
  }
  return text(key);
}

std::vector<std::string> Section::texts(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (value == nullptr) return {};
  const ValueKind kind = known(key).kind;
  if (kind == ValueKind::whole || kind == ValueKind::real) {
    (void)real(key);
    return {toml_text(value->value)};
  }
  std::vector<std::string> texts;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value->value)) {
    texts = *list;
  } else {
    texts.push_back(*text(key));
  }
  for (std::string& text : texts) {
    if (has_control_characters(text)) refuse(key);
    if (kind == ValueKind::path && !text.empty()) text = (value->origin.folder / text).lexically_normal().string();
  }
  return texts;
}

std::optional<bool> Section::choice(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool* choice = std::get_if<bool>(&value->value);
  if (choice == nullptr) refuse(key);
  return *choice;
}

std::optional<std::uint64_t> Section::whole(const std::string& key, std::uint64_t least, std::uint64_t most) const {
  const ConfigValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr || *number < 0) refuse(key);
  const auto result = static_cast<std::uint64_t>(*number);
  if (result < least || result > most) refuse(key);
  return result;
}

std::optional<double> Section::real(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  double number = 0;
  if (const auto* real = std::get_if<double>(&value->value)) {
    number = *real;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value->value)) {
    number = static_cast<double>(*whole);
  } else {
    refuse(key);
  }
  if (!std::isfinite(number)) refuse(key);
  return number;
}

std::filesystem::path Section::path(const std::string& key) const {
  const std::string given = text(key).value_or("");
  if (given.empty()) return {};
  return (find(key)->origin.folder / given).lexically_normal();
}

void Section::refuse_missing(const std::string& key) const {
  const Setting& wanted = known(key);
  throw InputError(document_.file,
                   fmt::format("[{}] lacks {}: it must be {}; write it there, or give {}{}", table_, key,
                               wanted.expected, wanted.variable(), wanted.flag.empty() ? "" : " or " + wanted.flag));
}

void Section::refuse(const std::string& key) const {
  const Setting& wanted = known(key);
  const ConfigValue* value = find(key);
  if (value == nullptr) refuse_missing(key);
  throw InputError(value->origin.where(),
                   fmt::format("{} in [{}] must be {}{}", key, table_, wanted.expected, but_is(wanted, value->value)));
}

std::string Section::where(const std::string& key) const {
  const ConfigValue* value = find(key);
  return fmt::format("{}: {} in [{}]", value == nullptr ? document_.file : value->origin.where(), key, table_);
}

const Setting& Section::known(const std::string& key) const {
  const Setting* found = document_.keys->find(table_, key, document_.program);
  if (found == nullptr) throw std::invalid_argument("a config has no key " + table_ + "." + key);
  return *found;
}

const ConfigValue* Section::find(const std::string& key) const {
  (void)known(key);
  return document_.find(table_, key);
}

}  // namespace sotto::apps
