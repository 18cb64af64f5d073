// The settings of a role of the private bandit. A config, TOML:
//
//     [run]                    the same at every role; the handshake compares it line by line
//     session = "0123456789abcdef0123456789abcdef"
//     parties = 2
//     steps = 1797
//     arms = 10
//
//     [trust]                  fingerprints of all roles' certificates, `sotto keys show` prints them
//     party_0 = "sha256:..."
//
//     [role]
//     name = "party"           party, owner, dealer, helper, actor or rewarder
//     id = 0                   of a party or an owner
//     data = "a.csv"
//     key = "party_0.pem"
//
//     [peers]                  addresses at which roles listen; owners, the actor and the rewarder only connect
//     party_0 = "127.0.0.1:7100"
//
// The list in bandit_program.cc has all keys. Relative paths in a config are relative to the folder of the config.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/settings/run_settings.h"
#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] const Program& bandit_program();

// The disclosures that a party or an owner allows in an evaluation of a log: [account].
struct AccountRules {
  std::filesystem::path account;  // the account file (apps/kit/account); empty: no account, and no epsilon is added up
  double account_epsilon = .5;    // epsilon of one evaluation
  double budget = 2;              // the most epsilon that a subject may spend, over all evaluations
  double learning_epsilon = 0;    // epsilon of learning in a run; 0: no noise
  double learning_delta = 1e-6;
  bool bit_alone = false;  // whether the role takes part only in evaluations that answer in one bit
  // Whether rows may be learned without noise, although counts over other rows may show them.
  bool uncovered_learning = false;
  // The file that says which subject each row is about. If empty: the file that `sotto prepare` left next to the data;
  // without such a file, each row is a person.
  std::filesystem::path subjects;
  // The most rows of a subject. If ids show a subject with more rows, that larger number is used.
  std::uint64_t rows_per_subject = 1;
  std::uint64_t forget_after = 0;  // number of days after which an entry is no longer added up; 0: never
};

// The inputs of a role: [role].
struct RoleInputs : AccountRules {
  std::filesystem::path data;          // rows of a party or an owner
  std::filesystem::path environment;   // file of the role that gets the rewards
  std::string world;                   // instead of data and environment: unix:PATH of a simulator (sites/world_site.h)
  std::optional<std::size_t> columns;  // number of columns of a party whose rows come from a world
  std::filesystem::path log;           // log of the actor, if the task is about a log
  std::string segment;                 // the log's column that divides the evaluated events into segments, or empty
  std::filesystem::path
      from;  // at a party: its config or folder in the earlier run; this run begins from the model of that run
  std::filesystem::path arm_socket;  // socket of actor and rewarder, if they are two processes
  std::string delay;                 // delay of the role's answers, at the actor or the rewarder; empty: none
};

// The folders of a role, also in [role].
struct RoleFolders {
  std::filesystem::path state;  // folder of the role's store
  std::filesystem::path stock;  // folder of randomness made ahead (apps/bandit/run/stock/stock.h)
  // The file that stores the positions of other roles' accounts (apps/kit/account/seen_accounts.h); if empty, the file
  // is next to the role's key.
  std::filesystem::path seen;
  bool resume = false;  // set by the flag --resume, never in a file
};

// The identity of a role, and its links.
using BanditLinks = RoleSettingsOf<BanditRole>;

struct BanditSettings final : BanditLinks, BanditRun, RoleInputs, RoleFolders {
  [[nodiscard]] const Program& program() const override { return bandit_program(); }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<BanditSettings>(*this); }
  [[nodiscard]] Topology topology() const override { return nodes(); }
  [[nodiscard]] std::vector<RunRole> roles() const override;
  void check(const ConfigDocument& document) const override;
  void check_plan() const override;
  void name_files() override;
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override;
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override;
  // Checks from the parties' announcements whether the run could be refused because of the norms of its joint rows.
  // Finds nothing in a run without max_norm, because the bound of such a run follows from the announcements.
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

// The path of a world, "unix:PATH". Throws InputError, which begins with `where`, if the text is not the address of a
// world.
[[nodiscard]] std::filesystem::path world_path(const std::string& address, const std::string& where);

// Whether the role is an owner or a party that does not only compute.
[[nodiscard]] bool brings_features(const BanditLinks& role, const BanditRun& run);
// Whether the role is the actor or the rewarder.
[[nodiscard]] bool is_outside(const BanditLinks& role);
[[nodiscard]] bool gets_rewards(const BanditLinks& role, const BanditRun& run);
[[nodiscard]] inline bool brings_features(const BanditSettings& role) { return brings_features(role, role); }
[[nodiscard]] inline bool gets_rewards(const BanditSettings& role) { return gets_rewards(role, role); }

}  // namespace sotto::apps::bandit::run
