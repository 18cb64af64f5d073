// The settings of a role of the private bandit. A config is a TOML file:
//
//     [run]                    the same at every role; the handshake compares this section line by line
//     session = "0123456789abcdef0123456789abcdef"
//     parties = 2
//     steps = 1797
//     arms = 10
//
//     [trust]                  fingerprints of all roles' certificates, as `sotto keys show` prints them
//     party_0 = "sha256:..."
//
//     [role]
//     name = "party"           party, owner, dealer, helper, actor or rewarder
//     id = 0                   only for a party or an owner
//     data = "a.csv"
//     key = "party_0.pem"
//
//     [peers]                  addresses at which roles listen; owners, the actor and the rewarder only connect
//     party_0 = "127.0.0.1:7100"
//
// bandit_program.cc lists all keys. Relative paths in a config are relative to the folder of the config.
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

struct AccountRules {
  std::filesystem::path account;  // empty: no account
  double account_epsilon = .5;    // epsilon that one evaluation costs
  double budget = 2;              // largest epsilon that a subject may spend
  double learning_epsilon = 0;    // epsilon of the noise in learning; 0: no noise
  double learning_delta = 1e-6;
  bool bit_alone = false;  // whether this role accepts only answers in one bit
  // Whether the model may learn rows without noise, although counts may reveal something about these rows.
  bool uncovered_learning = false;
  // The file that names the subject of each row. If empty, the role uses the file that `sotto prepare` left next to the
  // data. Without this file, each row counts as a separate subject.
  std::filesystem::path subjects;
  // The largest number of rows of one subject. If the file of subjects shows a larger number, the larger number counts.
  std::uint64_t rows_per_subject = 1;
  std::uint64_t forget_after = 0;  // number of days; 0: never
};

struct RoleInputs : AccountRules {
  std::filesystem::path data;
  std::filesystem::path environment;
  std::string world;                   // unix:PATH
  std::optional<std::size_t> columns;  // number of columns of the rows, only with a world
  std::filesystem::path log;           // file of the log, at the actor
  std::string segment;                 // name of a column of `log`
  std::filesystem::path from;          // state of an earlier run
  std::filesystem::path arm_socket;    // Unix socket over which the actor sends arms to the rewarder
  std::string delay;
};

struct RoleFolders {
  std::filesystem::path state;
  std::filesystem::path stock;  // folder of prepared randomness
  // File with earlier positions of other roles' accounts (apps/kit/account/seen_accounts.h). If empty, this file is
  // next to the key.
  std::filesystem::path seen;
  bool resume = false;
};

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
  // Without max_norm, the bound follows from the announcements, so there is nothing to check.
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

// Throws InputError, which begins with `where`, if the text is not unix:PATH.
[[nodiscard]] std::filesystem::path world_path(const std::string& address, const std::string& where);

[[nodiscard]] bool brings_features(const BanditLinks& role, const BanditRun& run);
[[nodiscard]] bool is_outside(const BanditLinks& role);
[[nodiscard]] bool gets_rewards(const BanditLinks& role, const BanditRun& run);
[[nodiscard]] inline bool brings_features(const BanditSettings& role) { return brings_features(role, role); }
[[nodiscard]] inline bool gets_rewards(const BanditSettings& role) { return gets_rewards(role, role); }

}  // namespace sotto::apps::bandit::run
