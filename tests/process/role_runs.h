#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/role_mesh.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/framework.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {

// Ports for roles that are processes: a config names a port before a role listens on it. The system gives the ports of
// its own range to connections, so a connection may take such a port before the role listens. The ports of this class
// are below the system's range. Each test process marks a block of ports as its own by a UDP port, until the process
// ends.

class Ports {
 public:
  // Returns an address on which nothing listens, such as "127.0.0.1:12345". Each call returns a new address.
  static std::string take() {
    static Ports ports;
    const std::lock_guard lock(ports.mutex_);
    for (;;) {
      if (ports.next_ % block == 0) ports.claim_block();
      const std::uint16_t port = ports.next_++;
      if (const int socket = bound(SOCK_STREAM, port); socket >= 0) {
        ::close(socket);
        return "127.0.0.1:" + std::to_string(port);
      }
    }
  }

 private:
  static constexpr std::uint16_t first = 12'000;
  static constexpr std::uint16_t last = 32'000;
  static constexpr std::uint16_t block = 50;

  static int bound(int type, std::uint16_t port) {
    const int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
    const int yes = 1;
    if (type == SOCK_STREAM) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }

  void claim_block() {
    for (std::uint16_t begin = first; begin < last; begin += block) {
      if (bound(SOCK_DGRAM, begin) < 0) continue;
      next_ = begin + 1;
      return;
    }
    throw std::runtime_error("no ports are left for the test");
  }

  std::mutex mutex_;
  std::uint16_t next_ = 0;
};

template <class S>
struct RolePlanOf {
  std::string command;
  S config;
  Surroundings surroundings{};
};
using RolePlan = RolePlanOf<apps::bandit::run::BanditSettings>;
// Roles by their keys in [peers]: "dealer", "party_0", ..., "actor", "active", "passive_1", ...
using RunPlan = std::map<std::string, RolePlan>;

// Cells of the parties' files, which no output may show.
inline const Words& secret_cells() {
  static const Words cells{"0.3817263", "0.1928374", "-0.2736451", "0.3219427"};
  return cells;
}

struct RunShape {
  std::size_t parties = 2;
  std::uint64_t steps = 40;
  bool separate_rewarder = false;
  bool plaintext = false;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  std::size_t computing_only = 0;
  std::size_t owners = 0;
};

// The configs of a run with two features per party, 30 rows and two arms. Each test has its own ports.
inline RunPlan plan_run(const TestFolder& folder, RunShape shape = {}) {
  const Words& cells = secret_cells();
  const std::string rows = rows_in_turn(cells[0] + "," + cells[1], cells[2] + "," + cells[3]);
  apps::bandit::run::BanditSettings base;
  base.session = apps::fresh_session();
  base.parties = shape.parties;
  base.steps = shape.steps;
  base.arms = 2;
  base.max_norm = 1;
  base.separate_rewarder = shape.separate_rewarder;
  base.preprocessing = shape.preprocessing;
  base.computing_only = shape.computing_only;
  base.owners = shape.owners;
  const bool dealt = base.topology().has_dealer();
  base.connect_deadline_seconds = 20;
  base.round_deadline_seconds = 20;
  Words parties;
  for (std::size_t id = 0; id < shape.parties; ++id) parties.push_back("party_" + std::to_string(id));
  for (const std::string& key : parties) base.peers[key] = Ports::take();
  const bool helped = base.topology().has_helper();
  if (dealt) base.peers["dealer"] = Ports::take();
  if (helped) base.peers["helper"] = Ports::take();
  base.insecure_plaintext = shape.plaintext;
  if (!shape.plaintext) base.trust = apps::make_local_keys(base, folder.path());
  RunPlan plans;
  const auto add = [&](const std::string& key, const std::string& command, apps::bandit::BanditRole role,
                       std::size_t id) {
    apps::bandit::run::BanditSettings config = base;
    config.set_role(role, id);
    if (!shape.plaintext) config.key = apps::key_file(folder.path(), key);
    config.report = folder.path() / (key + ".json");
    if (apps::bandit::run::brings_features(config)) config.data = folder.write(key + ".csv", rows);
    if (role == (shape.separate_rewarder ? apps::bandit::BanditRole::rewarder : apps::bandit::BanditRole::actor)) {
      config.environment = folder.write("labels.csv", labels_in_turn());
    }
    if (shape.separate_rewarder &&
        (role == apps::bandit::BanditRole::actor || role == apps::bandit::BanditRole::rewarder)) {
      config.arm_socket = folder.path() / "arms";
    }
    plans.emplace(key, RolePlan{command, config});
  };
  if (dealt) add("dealer", "dealer", apps::bandit::BanditRole::dealer, 0);
  if (helped) add("helper", "helper", apps::bandit::BanditRole::helper, 0);
  for (std::size_t id = 0; id < parties.size(); ++id) add(parties[id], "party", apps::bandit::BanditRole::party, id);
  for (std::size_t id = 0; id < shape.owners; ++id) {
    add("owner_" + std::to_string(id), "owner", apps::bandit::BanditRole::owner, id);
  }
  add("actor", "actor", apps::bandit::BanditRole::actor, 0);
  if (shape.separate_rewarder) add("rewarder", "rewarder", apps::bandit::BanditRole::rewarder, 0);
  return plans;
}

inline std::string name_of(const std::string& key) {
  if (key == "dealer") return "the dealer";
  for (const std::string numbered : {"party", "owner"}) {
    if (key.rfind(numbered + "_", 0) == 0) return numbered + " " + key.substr(6);
  }
  return key;
}

template <class S>
std::unique_ptr<SottoProcess> start(const TestFolder& folder, const std::string& key, const RolePlanOf<S>& role,
                                    const Words& flags = {}) {
  const fs::path file = folder.write(key + ".toml", apps::to_toml(role.config));
  Words arguments = role.command.empty() ? role.config.command() : Words{role.command};
  arguments = joined(joined(arguments, {"--config", file.string()}), flags);
  return std::make_unique<SottoProcess>(folder, arguments, role.surroundings);
}

struct Ended {
  int code = 0;
  std::string error;
  std::string output;
};

using Ends = std::map<std::string, Ended>;
using Processes = std::map<std::string, std::unique_ptr<SottoProcess>>;

template <class S>
Processes start_all(const TestFolder& folder, const std::map<std::string, RolePlanOf<S>>& plans,
                    const Words& flags = {}) {
  Processes processes;
  for (const auto& [key, role] : plans) processes[key] = start(folder, key, role, flags);
  return processes;
}

inline Ended end_of(SottoProcess& process) {
  const int code = process.wait();
  return {code, process.error(), process.out() + process.err()};
}

inline Ends end_all(Processes& processes) {
  Ends ends;
  for (auto& [key, process] : processes) ends[key] = end_of(*process);
  return ends;
}

template <class S>
Ends run(const TestFolder& folder, const std::map<std::string, RolePlanOf<S>>& plans, const Words& flags = {}) {
  Processes processes = start_all(folder, plans, flags);
  return end_all(processes);
}

inline void expect_ends(const Ends& ends, int code, const std::string& says = "") {
  for (const auto& [key, end] : ends) {
    EXPECT_EQ(end.code, code) << key << ": " << end.output;
    EXPECT_THAT(end.error, HasSubstr(says)) << key;
  }
}

template <class S>
void expect_role_refused(const TestFolder& folder, const std::string& key, const RolePlanOf<S>& role,
                         const std::string& says, int code = 2, const Words& flags = {}) {
  const auto process = start(folder, key, role, flags);
  expect_end(*process, code, says);
}

// Gives the role a new key, which the other roles do not trust. Returns the key's fingerprint.
template <class S>
std::string renew_key(const TestFolder& folder, const std::string& key, S& config) {
  const net::Identity renewed = net::Identity::create(key);
  config.key = folder.path() / "renewed.pem";
  renewed.write(config.key);
  return config.trust.at(key) = renewed.fingerprint();
}

// Each role makes a key, and trusts the keys of all roles.
inline void exchange_keys(const TestFolder& folder, const Words& roles) {
  std::map<std::string, std::string> fingerprints;
  for (const std::string& role : roles) {
    const std::string key = "set/" + role + "/key.pem";
    succeed(folder, {"keys", "new", "--out", key, "--name", role});
    fingerprints[role] = net::Identity::read(folder.path() / key).fingerprint();
    EXPECT_THAT(succeed(folder, {"keys", "show", key}), HasSubstr(fingerprints[role]));
  }
  for (const std::string& role : roles) {
    for (const auto& [peer, fingerprint] : fingerprints) {
      succeed(folder, {"keys", "trust", "--config", "set/" + role + "/config.toml", peer, fingerprint});
    }
  }
}

}  // namespace sotto::testing
