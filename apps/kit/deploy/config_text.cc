#include "sotto/apps/kit/deploy/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sotto/apps/kit/deploy/deployment.h"
#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/apps/kit/settings/keys.h"
#include "sotto/apps/kit/settings/lines.h"
#include "sotto/net/transport/tcp/address.h"

namespace sotto::apps {
namespace {

// Lines of at most 100 characters, each after "# ".
std::string comment(const std::string& text) {
  constexpr std::size_t widest = 98;
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (end - begin > widest) {
      const std::size_t space = text.rfind(' ', begin + widest);
      end = space == std::string::npos || space <= begin ? text.find(' ', begin) : space;
      end = std::min(end, text.size());
    }
    result += fmt::format("# {}\n", text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// What is said above a table.
std::string about(const std::string& table, const RoleConfig& config) {
  if (table == "run") {
    return "What all roles have alike. They compare it before they start, and say which line "
           "differs; so change it at all roles together.";
  }
  if (table == "role") {
    return fmt::format(
        "What concerns {} alone. Relative paths are relative to the folder of this file.",
        spoken_name(config));
  }
  if (table == "peers") {
    return "Where the roles listen, as others reach them: host:port, a host name, an IPv4 address "
           "or an IPv6 address in brackets. The same at all roles. Change localhost to the names "
           "of the machines where roles are on several.";
  }
  if (table == "trust") {
    return "The fingerprints of all roles' certificates, the own one included, the same at all "
           "roles. Who runs a role tells its fingerprint (`sotto keys show`) by a channel that you "
           "trust, such as a telephone call; `sotto keys trust` adds it.";
  }
  return "Emulated links; all roles must then be on one machine.";
}

// Of the keys that are not set, those that make sense for the role, and with which value.
std::map<std::string, std::string> examples(const RoleConfig& config) {
  std::map<std::string, std::string> result;
  if (config.run.o3m) {
    result["run.acknowledge_leakage"] = "true";
    if (config.role == Role::active) result["role.arms_file"] = "\"arms.csv\"";
  } else {
    result["run.max_norm"] = "1.0";
    if (config.run.checkpoint_every == 0) result["role.state"] = "\"state\"";
  }
  const auto own = config.peers.find(peer_key(config.role, config.id));
  if (own != config.peers.end()) {
    result["role.listen"] =
        fmt::format("\"0.0.0.0:{}\"", net::parse_address(own->second, own->first).port);
  }
  return result;
}

bool is_left_out(const ConfigLine& line) {
  const bool choice = line.key.starts_with("insecure_") || line.key == "acknowledge_leakage";
  return choice && line.value == "false";
}

std::string trust_to_come(const RoleConfig& config) {
  std::string text;
  for (const std::string& role : role_names(config.run)) {
    text += fmt::format("# {} = \"sha256:...\"\n", role);
  }
  return text;
}

}  // namespace

std::string commented_config(const RoleConfig& config) {
  std::map<std::string, std::string> set;
  for (const ConfigLine& line : config_lines(config)) {
    if (!is_left_out(line)) set[line.table + "." + line.key] = line.value;
  }
  const std::map<std::string, std::string> unset = examples(config);
  std::string text = comment(fmt::format(
      "The config of {} in a run of sotto; start it with `sotto {} --config config.toml`, and try "
      "it before with `sotto doctor --config config.toml`. Each value can also be given by "
      "SOTTO_<TABLE>_<KEY> in the environment and by --set table.key=value.",
      spoken_name(config), fmt::join(role_command(config), " ")));
  std::string table;
  for (const ConfigKey& key : config_keys()) {
    const auto value = set.find(key.path());
    const auto example = unset.find(key.path());
    if (value == set.end() && example == unset.end()) continue;
    const bool explained = key.table != "peers" && key.table != "trust";
    if (key.table != table) {
      table = key.table;
      text += "\n" + comment(about(table, config)) + fmt::format("[{}]\n", table);
    }
    if (explained) text += (text.ends_with("]\n") ? "" : "\n") + comment(key.help);
    text += value != set.end() ? fmt::format("{} = {}\n", key.name, value->second)
                               : fmt::format("# {} = {}\n", key.name, example->second);
  }
  if (config.run.trust.empty() && !config.run.insecure_plaintext) {
    text += "\n" + comment(about("trust", config)) + "[trust]\n" + trust_to_come(config);
  }
  return text;
}

}  // namespace sotto::apps
