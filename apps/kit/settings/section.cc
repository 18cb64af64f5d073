#include "apps/kit/settings/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "apps/kit/settings/program.h"
#include "apps/kit/settings/toml_text.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// The text is empty if the value is long or secret.
std::string but_is(const Setting& key, const ConfigScalar& value) {
  constexpr std::size_t enough = 60;
  if (std::holds_alternative<std::monostate>(value)) return {};
  // A seed reveals all masks, and a user may have put a private key in place of a fingerprint.
  if (key.name == "insecure_seed" || key.table == "trust" || key.table == Program::next_trust_table) return {};
  const std::string text = toml_text(value);
  return text.size() > enough ? "" : ", not " + text;
}

// Control characters would break the line of a message.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

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
