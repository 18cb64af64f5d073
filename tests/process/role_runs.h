// Roles that are started one by one, each from a config of its own: what a test changes of a run, and how its roles
// end.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/deploy/role_keys.h"
#include "tests/process/ports.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {

template <class S>
struct RolePlanOf {
  std::string command;
  S config;
  Surroundings surroundings{};
};
using RolePlan = RolePlanOf<apps::BanditSettings>;
// By the roles' keys in [peers]: "dealer", "party_0", ..., "actor", "active", "passive_1", ...
using RunPlan = std::map<std::string, RolePlan>;

// Cells of the parties' files, which no output may show.
inline const std::vector<std::string>& secret_cells() {
  static const std::vector<std::string> cells{"0.3817263", "0.1928374", "-0.2736451", "0.3219427"};
  return cells;
}

struct RunShape {
  std::size_t parties = 2;
  std::uint64_t steps = 40;
  bool separate_rewarder = false;
  bool plaintext = false;  // where a test reads what goes over the links
};

// Two features a party, 30 rows, two arms; ports of this test's own.
inline RunPlan plan_run(const TestFolder& folder, RunShape shape = {}) {
  const std::vector<std::string>& cells = secret_cells();
  std::string rows = "a,b\n";
  std::string labels = "label\n";
  for (int row = 0; row < 30; ++row) {
    rows += row % 2 == 0 ? cells[0] + "," + cells[1] : cells[2] + "," + cells[3];
    rows += "\n";
    labels += std::to_string(row % 2) + "\n";
  }
  apps::BanditSettings base;
  base.session = apps::fresh_session();
  base.parties = shape.parties;
  base.steps = shape.steps;
  base.arms = 2;
  base.max_norm = 1;
  base.separate_rewarder = shape.separate_rewarder;
  base.connect_deadline_seconds = 20;
  base.round_deadline_seconds = 20;
  std::vector<std::string> parties;
  for (std::size_t id = 0; id < shape.parties; ++id) {
    parties.push_back("party_" + std::to_string(id));
  }
  for (const std::string& key : parties) base.peers[key] = Ports::take();
  base.peers["dealer"] = Ports::take();
  base.insecure_plaintext = shape.plaintext;
  if (!shape.plaintext) base.trust = apps::make_local_keys(base, folder.path());
  RunPlan plans;
  const auto add = [&](const std::string& key, const std::string& command, apps::BanditRole role, std::size_t id) {
    apps::BanditSettings config = base;
    config.set_role(role, id);
    if (!shape.plaintext) config.key = apps::key_file(folder.path(), key);
    config.report = folder.path() / (key + ".json");
    if (role == apps::BanditRole::party) config.data = folder.write(key + ".csv", rows);
    if (role == (shape.separate_rewarder ? apps::BanditRole::rewarder : apps::BanditRole::actor)) {
      config.environment = folder.write("labels.csv", labels);
    }
    if (shape.separate_rewarder && (role == apps::BanditRole::actor || role == apps::BanditRole::rewarder)) {
      config.arm_socket = folder.path() / "arms";
    }
    plans.emplace(key, RolePlan{command, config});
  };
  add("dealer", "dealer", apps::BanditRole::dealer, 0);
  for (std::size_t id = 0; id < parties.size(); ++id) add(parties[id], "party", apps::BanditRole::party, id);
  add("actor", "actor", apps::BanditRole::actor, 0);
  if (shape.separate_rewarder) add("rewarder", "rewarder", apps::BanditRole::rewarder, 0);
  return plans;
}

// "party 0" of "party_0", "the dealer" of "dealer": as the roles call it.
inline std::string name_of(const std::string& key) {
  if (key == "dealer") return "the dealer";
  if (key.rfind("party_", 0) == 0) return "party " + key.substr(6);
  return key;
}

template <class S>
std::unique_ptr<SottoProcess> start(const TestFolder& folder, const std::string& key, const RolePlanOf<S>& role,
                                    const std::vector<std::string>& flags = {}) {
  const fs::path file = folder.write(key + ".toml", apps::to_toml(role.config));
  std::vector<std::string> arguments = role.config.command();
  if (!role.command.empty()) arguments = {role.command};
  arguments.insert(arguments.end(), {"--config", file.string()});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return std::make_unique<SottoProcess>(folder, arguments, role.surroundings);
}

struct Ended {
  int code = 0;
  std::string error;   // the last line on stderr
  std::string output;  // all of both
};

using Processes = std::map<std::string, std::unique_ptr<SottoProcess>>;

template <class S>
Processes start_all(const TestFolder& folder, const std::map<std::string, RolePlanOf<S>>& plans) {
  Processes processes;
  for (const auto& [key, role] : plans) processes[key] = start(folder, key, role);
  return processes;
}

inline Ended end_of(SottoProcess& process) {
  Ended end;
  end.code = process.wait();
  end.error = process.error();
  end.output = process.out() + process.err();
  return end;
}

inline std::map<std::string, Ended> end_all(Processes& processes) {
  std::map<std::string, Ended> ends;
  for (auto& [key, process] : processes) ends[key] = end_of(*process);
  return ends;
}

template <class S>
std::map<std::string, Ended> run(const TestFolder& folder, const std::map<std::string, RolePlanOf<S>>& plans) {
  Processes processes = start_all(folder, plans);
  return end_all(processes);
}

}  // namespace sotto::testing
