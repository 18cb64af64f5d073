#include "apps/kit/settings/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "apps/kit/settings/toml_text.h"

namespace sotto::apps {

std::string Setting::variable() const {
  std::string result = fmt::format("SOTTO_{}_{}", table, name);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string Setting::run_flag() const {
  if (table == "account") return flag;
  std::string text = (table == "link" ? "--" + table + "-" : "--") + name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

Setting make_setting(std::string_view path, ValueKind kind, std::string expected, std::string help) {
  const std::size_t point = path.find('.');
  Setting setting;
  setting.table = path.substr(0, point);
  setting.name = path.substr(point + 1);
  setting.kind = kind;
  setting.expected = std::move(expected);
  setting.help = std::move(help);
  setting.unit = kind == ValueKind::real ? "NUMBER" : kind == ValueKind::whole ? "N" : "TEXT";
  return setting;
}

namespace detail {

std::string expected_number(ValueKind kind, const Range& range) {
  const bool ends = std::isfinite(range.most);
  if (kind == ValueKind::whole) {
    if (ends) return fmt::format("{} to {}", range.least, range.most);
    return range.least > 0 ? fmt::format("a whole number, at least {}", range.least) : "a whole number";
  }
  if (range.above) {
    return fmt::format("a number above {}{}", range.least, ends ? fmt::format(" and at most {}", range.most) : "");
  }
  return ends ? fmt::format("a number from {} to {}", range.least, range.most)
              : fmt::format("a number, {} or above", range.least);
}

std::optional<std::uint64_t> read_whole(const Section& table, const std::string& key, const Range& range) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::int64_t>::max();
  return table.whole(key, static_cast<std::uint64_t>(range.least),
                     std::isfinite(range.most) ? static_cast<std::uint64_t>(range.most) : no_limit);
}

std::optional<double> read_real(const Section& table, const std::string& key, const Range& range) {
  const auto value = table.real(key);
  if (!value) return value;
  const bool enough = range.above ? *value > range.least : *value >= range.least;
  if (!enough || *value > range.most) table.refuse(key);
  return value;
}

std::string toml_of(std::uint64_t value) { return fmt::format("{}", value); }
std::string toml_of(double value) { return toml_real(value); }
std::optional<std::string> toml_of(const std::string& value) {
  if (value.empty()) return std::nullopt;
  return toml_quoted(value);
}

}  // namespace detail

}  // namespace sotto::apps
