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
//     [peers]                  where roles listen; owners, the actor and the rewarder only connect
//     party_0 = "127.0.0.1:7100"
//
// The list in bandit_program.cc has all keys. Relative paths in a config are relative to its folder.
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

// What a party or an owner gives away where a log is evaluated: [account].
struct AccountRules {
  std::filesystem::path account;  // its file (apps/kit/account); empty: nothing counts
  double account_epsilon = .5;    // of one evaluation
  double budget = 2;              // of a subject, over all of them
  double learning_epsilon = 0;    // of what a run learns; 0: no noise
  double learning_delta = 1e-6;
  bool bit_alone = false;           // takes part in evaluations that answer in one bit, and in no others
  bool uncovered_learning = false;  // rows are learned without noise, and counts over others may show them
  // Whom each row is about; empty: as `sotto prepare` left it beside the data, else each row is a person.
  std::filesystem::path subjects;
  std::uint64_t rows_per_subject = 1;  // at least; by the ids, as many as one has
  std::uint64_t forget_after = 0;      // days, after which an entry no longer counts; 0: never
};

// What a role brings: [role].
struct RoleInputs : AccountRules {
  std::filesystem::path data;          // of a party or an owner
  std::filesystem::path environment;   // of the role that gets the rewards
  std::string world;                   // instead of both: unix:PATH of a simulator (sites/world_site.h)
  std::optional<std::size_t> columns;  // of a party with a world
  std::filesystem::path log;           // of the actor, where the task is about one
  std::string segment;                 // its column by which the events that are evaluated are told apart, or empty
  std::filesystem::path from;  // of a party: its config of the run whose model this one begins from, or its folder
  std::filesystem::path arm_socket;  // of actor and rewarder, where they are two
  std::string delay;                 // of actor and rewarder; empty: none
};

// What it keeps: [role] as well.
struct RoleFolders {
  std::filesystem::path state;  // of the role's store
  std::filesystem::path stock;  // of randomness made ahead (apps/bandit/run/stock/stock.h)
  std::filesystem::path
      seen;             // how far others' accounts had come (apps/kit/account/seen_accounts.h); empty: by its key
  bool resume = false;  // never in a file: the flag --resume
};

// Who a role is, and its links.
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
  // Whether the run can be refused for the norms of its joint rows, from what its parties announced. Nothing of a run
  // without max_norm, whose bound follows from them.
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

// The path of a world, "unix:PATH"; InputError, which begins with `where`, if the text is no such address.
[[nodiscard]] std::filesystem::path world_path(const std::string& address, const std::string& where);

// A party, unless it only computes, or an owner.
[[nodiscard]] bool brings_features(const BanditLinks& role, const BanditRun& run);
// Actor or rewarder.
[[nodiscard]] bool is_outside(const BanditLinks& role);
[[nodiscard]] bool gets_rewards(const BanditLinks& role, const BanditRun& run);
[[nodiscard]] inline bool brings_features(const BanditSettings& role) { return brings_features(role, role); }
[[nodiscard]] inline bool gets_rewards(const BanditSettings& role) { return gets_rewards(role, role); }

}  // namespace sotto::apps::bandit::run
