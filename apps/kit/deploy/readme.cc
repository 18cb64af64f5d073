#include "sotto/apps/kit/deploy/readme.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sotto/apps/kit/deploy/deployment.h"
#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/core/text/count.h"
#include "sotto/net/transport/tcp/address.h"

namespace sotto::apps {
namespace {

std::string command(const RoleConfig& config) {
  return fmt::format("{}", fmt::join(role_command(config), " "));
}

// "party 1" of "party_1".
std::string spoken(std::string key) {
  for (char& c : key) c = c == '_' ? ' ' : c;
  return key;
}

std::string what_runs(const RunConfig& run) {
  if (!run.o3m) {
    return fmt::format("{}, {}, {}, epsilon {}", counted(run.parties, "party"),
                       counted(run.steps, "step"), counted(run.arms, "arm"), run.epsilon);
  }
  return fmt::format("O3M, {}, {}, {}, {}", counted(run.parties, "participant"),
                     counted(run.steps, "step"), counted(run.arms, "arm"),
                     run.o3m->algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS");
}

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

void add_key_steps(const RoleConfig& config, Steps& steps) {
  const std::string self = peer_key(config.role, config.id);
  steps.add(
      "Make the role's private key there. It never leaves that machine, and only you can read it.",
      {fmt::format("sotto keys new --out key.pem --name {}", self)});
  steps.add(
      "Tell the fingerprint that this prints to whoever runs the other roles, and hear theirs, by "
      "a\n"
      "   channel where you know whom you talk to: read them to each other on the telephone.",
      {"sotto keys show key.pem"});
  std::vector<std::string> lines;
  for (const std::string& role : role_names(config.run)) {
    lines.push_back(fmt::format("sotto keys trust --config config.toml {} sha256:...{}", role,
                                role == self ? "      (your own)" : ""));
  }
  steps.add("Write down in the config whom you trust: every role, your own included.", lines);
}

// What every party does to its rows, so that the joint rows keep to max_norm.
std::string scaling(const RunConfig& run) {
  if (!run.max_norm) return {};
  if (run.joint_norm_holds) {
    return fmt::format("Joint rows keep to norm {:.6g}, as somebody has seen.\n   ", *run.max_norm);
  }
  return fmt::format("Scale every row to norm {:.6g} at most,\n   max_norm / sqrt({}). ",
                     *run.max_norm / std::sqrt(static_cast<double>(run.parties)), run.parties);
}

void add_data_step(const RoleConfig& config, Steps& steps) {
  if (!config.data.empty()) {
    steps.add(
        fmt::format("Put your features into {}: a CSV with a header and numeric columns, a row a "
                    "case. Row t is\n"
                    "   about the same case at all parties. {}The file stays on your machine.",
                    config.data.string(), scaling(config.run)));
  }
  if (!config.contexts.empty()) {
    steps.add(fmt::format(
        "Put your features into {}: a CSV with columns t, arm and a column a feature, a row for\n"
        "   each step and arm; or, without arm, a row for each step. Step t is about the same case "
        "at all\n"
        "   participants. The file stays on your machine.",
        config.contexts.string()));
  }
  if (config.role == Role::active) {
    steps.add(
        fmt::format("Put what the arms earn into {}: a CSV with columns t, arm and reward, a "
                    "row for each\n   step and arm.",
                    config.environment.string()));
  } else if (!config.environment.empty()) {
    steps.add(
        fmt::format("Put what the arms earn into {}: a CSV with a column `label` (reward 1 where\n"
                    "   arm = label), or columns reward_0, reward_1, ... Row t is about the case "
                    "of the parties'\n"
                    "   row t.",
                    config.environment.string()));
  }
  if (!config.arm_socket.empty()) {
    steps.add(
        "Keep the folders of the actor and the rewarder side by side on one machine: in a "
        "simulation\n"
        "   the actor tells the rewarder's environment there which arm it pulled.");
  }
}

void add_network_step(const RoleConfig& config, Steps& steps) {
  const auto own = config.peers.find(peer_key(config.role, config.id));
  if (own == config.peers.end()) {
    std::string targets;
    for (const auto& [role, address] : config.peers) targets += " " + address;
    steps.add("Let the machine connect to the others; no port of your own need be open:\n  " +
              targets);
    return;
  }
  const unsigned port = net::parse_address(own->second, own->first).port;
  steps.add(fmt::format(
      "Open TCP port {} for the other roles in your firewall, so that they reach you at {}.\n"
      "   No other port is used.",
      port, own->second));
}

}  // namespace

std::string readme(const RoleConfig& config) {
  const RunConfig& run = config.run;
  std::string text = fmt::format(
      "You run {}.\n\n"
      "A run of sotto: {}. The roles and where they listen:\n\n",
      spoken_name(config), what_runs(run));
  for (const RunRole& role : run_roles(run)) {
    text += fmt::format("    {:<{}} {}\n", spoken(role.key), run.o3m ? 14 : 10,
                        role.listens ? config.peers.at(role.key) : "connects only");
  }

  Steps steps;
  steps.add(fmt::format("Copy this folder to the machine of {}, keep it private, and go into it.",
                        spoken_name(config)),
            {fmt::format("cd {}", peer_key(config.role, config.id))});
  if (run.o3m) {
    steps.add(
        "Read docs/o3m.md: O3M hides features from nobody who looks for them. Start the role only "
        "if\n"
        "   whoever owns its data accepts that, and then say so in [run] of config.toml:",
        {"acknowledge_leakage = true"});
  }
  if (run.insecure_shared_keys) {
    text +=
        "\nINSECURE: whoever made this set holds the keys of all roles and could be any of them. "
        "For "
        "trials\nwith data that need no protection.\n";
  } else if (!run.insecure_plaintext) {
    add_key_steps(config, steps);
  }
  add_data_step(config, steps);
  add_network_step(config, steps);
  steps.add("Try it. This checks names, ports, clocks, certificates and versions of all peers.",
            {"sotto doctor --config config.toml"});
  steps.add(
      fmt::format("Start the role. Roles start in any order, within {} seconds of each other.\n"
                  "   The role then writes {}.",
                  config.connect_deadline_seconds, config.report.string()),
      {fmt::format("sotto {} --config config.toml", command(config))});
  if (run.checkpoint_every > 0) {
    steps.add("If the run breaks off, all start again from the last checkpoint that they have.",
              {fmt::format("sotto {} --config config.toml --resume", command(config))});
  }
  return text + steps.text() +
         "\nThe config may be read by anybody; key.pem and the data must not. "
         "docs/running-roles.md "
         "has the whole\nway, all keys of the config, and what each error means.\n";
}

}  // namespace sotto::apps
