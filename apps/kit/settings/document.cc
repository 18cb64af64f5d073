#include "apps/kit/settings/document.h"

#include <fmt/format.h>

namespace sotto::apps {

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
