#include "apps/kit/settings/document.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>
#include <vector>

#include "apps/kit/files/input_file.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/program.h"
#include "apps/kit/settings/toml_file.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// A name from a file may contain any bytes.
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

}  // namespace

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

}  // namespace sotto::apps
