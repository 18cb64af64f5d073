#include "apps/kit/deploy/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps {
namespace {

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

std::string about(const std::string& table, const RoleSettings& config) {
  if (table == "run") {
    return "The settings that all roles share. The roles compare them before they start, and name the line that "
           "differs; so change them at all roles together.";
  }
  if (table == "role") {
    return fmt::format("The settings of {} only. Relative paths are relative to the folder of this file.",
                       config.display_name());
  }
  if (table == "peers") {
    return "Where the roles listen, as others reach them: host:port, a host name, an IPv4 address or an IPv6 address "
           "in brackets. The same at all roles. Change localhost to the names of the machines where roles are on "
           "several.";
  }
  if (table == "trust") {
    return "The fingerprints of all roles' certificates, the own one included, the same at all roles. The person who "
           "runs a role gives you its fingerprint (`sotto keys show`) by a channel that you trust, such as a telephone "
           "call; `sotto keys trust` adds it.";
  }
  for (const ConfigTable& further : config.program().tables) {
    if (further.name == table) return further.about;
  }
  return "Emulated links; all roles must then be on one machine.";
}

std::string example_of(const Setting& setting, const RoleSettings& config) {
  if (setting.path() == "role.listen") {
    const auto own = config.peers.find(config.role_key());
    if (own == config.peers.end()) return {};
    return fmt::format("\"0.0.0.0:{}\"", net::parse_address(own->second, own->first).port);
  }
  const bool of_role = setting.roles.empty() ||
                       std::find(setting.roles.begin(), setting.roles.end(), config.role_word) != setting.roles.end();
  return of_role ? setting.example : "";
}

bool is_left_out(const Setting& setting, const std::string& value) {
  return value == "false" && (!setting.danger.empty() || setting.of_owner);
}

std::string trust_to_come(const RoleSettings& config) {
  std::string text;
  for (const std::string& role : role_names(config)) {
    text += fmt::format("# {} = \"sha256:...\"\n", role);
  }
  return text;
}

std::string commented_lines(const Settings& config, const std::function<std::string(const std::string&)>& about,
                            const std::function<std::string(const Setting&)>& example_of) {
  std::string text;
  std::string table;
  for (const Setting& setting : config.program().settings) {
    auto value = setting.write(config);
    if (value && is_left_out(setting, *value)) value.reset();
    const std::string example = value ? "" : example_of(setting);
    if (!value && example.empty()) continue;
    const bool explained = setting.table != "peers" && setting.table != "trust";
    if (setting.table != table) {
      table = setting.table;
      text += "\n" + comment(about(table)) + fmt::format("[{}]\n", table);
    }
    if (explained)
      text += (text.ends_with("]\n") ? "" : "\n") +
              comment(setting.help + (setting.required && !value ? " (required)" : ""));
    text += value ? fmt::format("{} = {}\n", setting.name, *value) : fmt::format("# {} = {}\n", setting.name, example);
  }
  return text;
}

std::string head(const std::string& role, const std::string& command, const std::string& variables) {
  return comment(
      fmt::format("The config of {}, a role of sotto; start it with `{} --config config.toml`, and try it before "
                  "with `sotto doctor --config config.toml`. Each value can also be given by {}.",
                  role, command, variables));
}

class Steps {
 public:
  void add(const std::string& what, const std::vector<std::string>& commands = {}) {
    text_ += fmt::format("\n{}. {}\n", ++count_, what);
    if (!commands.empty()) text_ += "\n";
    for (const std::string& line : commands) text_ += "       " + line + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  int count_ = 0;
  std::string text_;
};

void add_key_steps(const RoleSettings& config, Steps& steps) {
  const std::string self = config.role_key();
  steps.add("Make the role's private key there. It never leaves that machine, and only you can read it.",
            {fmt::format("sotto keys new --out key.pem --name {}", self)});
  steps.add(
      "Give the fingerprint that this prints to the people who run the other roles, and get theirs. Use\n"
      "   a channel where you know the other person: read them to each other on the telephone.",
      {"sotto keys show key.pem"});
  std::vector<std::string> lines;
  for (const std::string& role : role_names(config)) {
    lines.push_back(fmt::format("sotto keys trust --config config.toml {} sha256:...{}", role,
                                role == self ? "      (your own)" : ""));
  }
  steps.add("Write down in the config whom you trust: every role, your own included.", lines);
}

void add_steps_of(ReadmeStep::When when, const RoleSettings& config, Steps& steps) {
  for (const ReadmeStep& step : config.readme_steps()) {
    if (step.when == when) steps.add(step.what, step.commands);
  }
}

void add_network_step(const RoleSettings& config, Steps& steps) {
  const auto own = config.peers.find(config.role_key());
  if (own == config.peers.end()) {
    std::string targets;
    for (const auto& [role, address] : config.peers) targets += " " + address;
    steps.add("Let the machine connect to the others; no port of your own need be open:\n  " + targets);
    return;
  }
  const unsigned port = net::parse_address(own->second, own->first).port;
  steps.add(
      fmt::format("Open TCP port {} for the other roles in your firewall, so that they reach you at {}.\n"
                  "   No other port is used.",
                  port, own->second));
}

}  // namespace

std::string commented_config(const CommandSettings& config) {
  return head(config.name(), fmt::format("sotto {}", fmt::join(config.program().command, " ")),
              "its flag or by SOTTO_<TABLE>_<KEY> in the environment") +
         commented_lines(
             config, [](const std::string&) { return "Relative paths are relative to the folder of this file."; },
             [](const Setting& setting) { return setting.example; });
}

std::string commented_config(const RoleSettings& config) {
  std::string text = head(config.display_name(), config.started_by(),
                          "SOTTO_<TABLE>_<KEY> in the environment and by --set table.key=value");
  text += commented_lines(
      config, [&](const std::string& table) { return about(table, config); },
      [&](const Setting& setting) { return example_of(setting, config); });
  if (config.trust.empty() && !config.insecure_plaintext) {
    text += "\n" + comment(about("trust", config)) + "[trust]\n" + trust_to_come(config);
  }
  return text;
}

std::string readme(const RoleSettings& config) {
  std::string text = fmt::format(
      "You run {}.\n\n"
      "A run of sotto: {}. The roles and where they listen:\n\n",
      config.display_name(), config.in_short());
  for (const RunRole& role : config.roles()) {
    text += fmt::format("    {:<21} {}\n", role.name, role.listens ? config.peers.at(role.key) : "connects only");
  }

  Steps steps;
  steps.add(
      fmt::format("Copy this folder to the machine of {}, keep it private, and go into it.", config.display_name()),
      {fmt::format("cd {}", config.role_key())});
  add_steps_of(ReadmeStep::When::first, config, steps);
  if (config.insecure_shared_keys) {
    text +=
        "\nINSECURE: whoever made this set holds the keys of all roles and could be any of them. For trials\nwith data "
        "that need no protection.\n";
  } else if (!config.insecure_plaintext) {
    add_key_steps(config, steps);
  }
  add_steps_of(ReadmeStep::When::with_data, config, steps);
  add_network_step(config, steps);
  steps.add("Try it. This checks names, ports, clocks, certificates and versions of all peers.",
            {"sotto doctor --config config.toml"});
  std::string start = fmt::format("Start the role. Roles start in any order, within {} seconds of each other.",
                                  config.connect_deadline_seconds);
  if (!config.report.empty()) start += fmt::format("\n   At the end the role writes {}.", config.report.string());
  steps.add(start, {config.started_by() + " --config config.toml"});
  add_steps_of(ReadmeStep::When::at_the_end, config, steps);
  return text + steps.text() +
         "\nThe config may be read by anybody; key.pem and the data must not. docs/guides/running-roles.md has the "
         "whole\nway, all keys of the config, and what each error means.\n";
}

}  // namespace sotto::apps
