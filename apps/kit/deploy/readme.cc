#include "sotto/apps/kit/deploy/readme.h"

#include <fmt/format.h>

#include <vector>

#include "sotto/net/transport/tcp/address.h"

namespace sotto::apps {
namespace {

std::string command(const RoleSettings& config) { return fmt::format("{}", fmt::join(config.command(), " ")); }

// Numbered steps, commands indented below them.
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
      "Tell the fingerprint that this prints to whoever runs the other roles, and hear theirs, by a\n"
      "   channel where you know whom you talk to: read them to each other on the telephone.",
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

std::string readme(const RoleSettings& config) {
  std::string text = fmt::format(
      "You run {}.\n\n"
      "A run of sotto: {}. The roles and where they listen:\n\n",
      config.spoken_name(), config.in_short());
  for (const RunRole& role : config.roles()) {
    text += fmt::format("    {:<21} {}\n", role.name, role.listens ? config.peers.at(role.key) : "connects only");
  }

  Steps steps;
  steps.add(
      fmt::format("Copy this folder to the machine of {}, keep it private, and go into it.", config.spoken_name()),
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
  steps.add(fmt::format("Start the role. Roles start in any order, within {} seconds of each other.\n"
                        "   The role then writes {}.",
                        config.connect_deadline_seconds, config.report.string()),
            {fmt::format("sotto {} --config config.toml", command(config))});
  add_steps_of(ReadmeStep::When::at_the_end, config, steps);
  return text + steps.text() +
         "\nThe config may be read by anybody; key.pem and the data must not. docs/running-roles.md has the "
         "whole\nway, all keys of the config, and what each error means.\n";
}

}  // namespace sotto::apps
