#include "apps/kit/deploy/trust_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/toml_file.h"
#include "apps/kit/settings/toml_text.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

std::vector<std::string> possible_roles(ConfigDocument& document) {
  const std::unique_ptr<RoleSettings> settings = document.program->make();
  const Section run(document, "run");
  for (const Setting& setting : document.program->settings) {
    if (setting.table != "run") continue;
    try {
      setting.read(run, *settings);
    } catch (const InputError&) {
      continue;
    }
  }
  try {
    return role_names(*settings);
  } catch (const std::invalid_argument&) {
    std::vector<std::string> all;
    for (const Setting& setting : document.program->settings) {
      if (setting.table == "trust") all.push_back(setting.name);
    }
    return all;
  }
}

void check_role(const Keys& keys, const std::string& text, const std::string& file, const std::string& role,
                TrustTable which) {
  ConfigDocument document = parse_document(keys, text, file, Unknown::skipped);
  document.program = &program_of(document);
  if (which == TrustTable::next && !document.program->has_next_trust()) {
    throw InputError(file,
                     fmt::format("is of {}, whose roles show one certificate each: leave --next out, and stop all "
                                 "roles before one of them changes its key",
                                 document.program->name));
  }
  const std::vector<std::string> roles = possible_roles(document);
  if (std::find(roles.begin(), roles.end(), role) == roles.end()) {
    throw InputError(file,
                     fmt::format("'{}' is no role of this run: expected one of {}", role, fmt::join(roles, ", ")));
  }
}

void check_fingerprint(const toml::table& config, const std::string& file, const std::string& role,
                       const std::string& fingerprint) {
  if (!net::is_fingerprint(fingerprint)) {
    throw InputError(
        file,
        fmt::format(
            "'{}' is no fingerprint: expected sha256: and 64 lower-case hex digits, as `sotto keys show` prints it",
            fingerprint));
  }
  for (const char* const table : {"trust", Program::next_trust_table}) {
    const toml::table* const trust = config[table].as_table();
    if (trust == nullptr) continue;
    for (const auto& [name, value] : *trust) {
      if (name != role && value.value<std::string>() == fingerprint) {
        throw InputError(
            file, fmt::format("{} is already trusted for {}: each role has a key of its own", fingerprint, name.str()));
      }
    }
  }
}

// The parser counts columns in characters, and the result is in bytes.
std::size_t offset(const std::string& text, const toml::source_position& place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line && at < text.size(); ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return at;
}

std::string changed(const std::string& text, const toml::table& config, const std::string& table,
                    const std::string& role, const std::string& fingerprint) {
  const std::string line_end = text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  const std::string value = fmt::format("\"{}\"", fingerprint);
  const toml::table* const trust = config[table].as_table();
  std::string result = text;
  if (trust == nullptr) {
    if (!result.empty() && result.back() != '\n') result += line_end;
    if (!result.empty()) result += line_end;
    return result + fmt::format("[{3}]{1}{0} = {2}{1}", role, line_end, value, table);
  }
  if (const toml::node* const old = trust->get(role)) {
    const std::size_t begin = offset(text, old->source().begin);
    const std::size_t end = offset(text, old->source().end);
    return result.replace(begin, std::max(begin, end) - begin, value);
  }
  toml::source_index last = trust->source().begin.line;
  for (const auto& [name, node] : *trust) last = std::max(last, node.source().end.line);
  std::size_t at = offset(text, toml::source_position{last + 1, 1});
  if (at > 0 && text[at - 1] != '\n') {
    result += line_end;
    at = result.size();
  }
  return result.insert(at, fmt::format("{} = {}{}", role, value, line_end));
}

}  // namespace

TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file, const std::string& role,
                       const std::string& fingerprint, TrustTable which) {
  const std::string table = which == TrustTable::next ? Program::next_trust_table : "trust";
  toml::table expected = parse_toml(text, file);
  check_role(keys, text, file, role, which);
  check_fingerprint(expected, file, role, fingerprint);
  TrustEntry entry{text, expected[table][role].value<std::string>()};
  if (entry.before == fingerprint) return entry;
  entry.text = changed(text, expected, table, role, fingerprint);
  expected.insert(table, toml::table{});
  toml::table* const trust = expected[table].as_table();
  if (trust != nullptr) trust->insert_or_assign(role, fingerprint);
  bool same = false;
  try {
    same = trust != nullptr && parse_toml(entry.text, file) == expected;
  } catch (const InputError&) {
    same = false;
  }
  if (!same) {
    throw InputError(
        file, fmt::format("[{}] is written in a way that cannot be edited safely: enter {} = \"{}\" there by hand",
                          table, role, fingerprint));
  }
  return entry;
}

std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint, TrustTable which) {
  std::error_code error;
  const std::string text = read_file(config, longest_config);
  const std::filesystem::perms permissions = std::filesystem::status(config, error).permissions();
  const TrustEntry entry = enter_trust(keys, text, config.string(), role, fingerprint, which);
  if (entry.text != text) {
    write_file(config, entry.text);
    std::filesystem::permissions(config, permissions, error);
    if (error) {
      throw ResourceError(fmt::format("{}: its permissions cannot be kept: {}", config.string(), error.message()));
    }
  }
  return entry.before;
}

}  // namespace sotto::apps
