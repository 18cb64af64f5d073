// The config of a role of the decision service:
//
//     [run]                    equal at every role; the handshake compares [run] and [service] line by line
//     session = "0123456789abcdef0123456789abcdef"
//     protocol = "live"
//     parties = 2
//     max_norm = 1.0           bound on the norm of a joint context
//     steps = 10000000         the most events that the service may learn; sets the numbers of fraction bits
//     preprocessing = "dealer" or "replicated" (three parties), "ot" (two parties), "helper" (two parties and a helper)
//
//     [service]                apps/live/settings/live_settings.h
//     arms = ["offer-1", "offer-2"]
//     baseline_arm = "offer-1"
//     reward_wait = "1h"
//
//     [role]                   as in other runs; state is the folder of the role's store
//     [features]               private to a party: the columns of its features
//     columns = "columns.csv"  a CSV: name,low,high,default, one row per column
//     norm = 0.7               bound on the norm of this party's part
//     url = "https://..."      the party's own service, which sends missing features
//     fingerprint = "sha256:"  fingerprint of that service's certificate; none for http on this machine
//     table = "rows.csv"       instead of `url`: a CSV with a column "subject" and the columns of columns.csv
//     recipe = "recipe.toml"   instead of `columns`: a recipe from `sotto prepare party`; the columns of `table` are
//                              then those of the table from which the recipe was made
//     decisions_per_day = 20   per day, the most events with a subject's own row (roles/subjects.h)
//     [account]                private to a party: the account that windows of agreement are charged to
//     file = "party-0.account"
//     [http]                   private to each role: its HTTP interface (apps/kit/http)
//     listen = "unix:/run/sotto/actor.sock"
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/live/roles/subjects.h"
#include "apps/live/rows/live_store.h"
#include "apps/live/settings/live_settings.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps::live {

[[nodiscard]] const Program& live_program();

struct LiveConfig final : RoleSettingsOf<bandit::BanditRole> {
  std::size_t parties = 0;
  std::uint64_t steps = 0;
  double epsilon = 0.1;
  unsigned bits = 20;
  double max_norm = 1;
  bool joint_norm_holds = false;
  bool binary_rewards = true;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  LiveSettings live;

  std::filesystem::path state;
  std::filesystem::path subjects;  // file of pseudonyms for dummy events; at the actor, if padding is hidden
  std::filesystem::path columns;
  std::optional<double> norm;  // at a party: bound on its part's norm; not set: max_norm / sqrt(parties)
  std::string features_url;
  std::string features_fingerprint;
  std::filesystem::path features_table;
  std::filesystem::path recipe;
  SubjectLimits subject_limits{};
  std::filesystem::path account;
  double budget = 2;               // epsilon that one subject may spend in the account
  std::uint64_t forget_after = 0;  // days after which the budget ignores an entry of the account; 0: never
  std::string http_listen;         // empty: /run/sotto/<role>.sock
  std::filesystem::path http_token_file;
  std::filesystem::path http_reader_token_file;
  std::filesystem::path http_backups;
  bool http_tls = false;
  std::size_t http_max_connections = 256;

  [[nodiscard]] const Program& program() const override { return live_program(); }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<LiveConfig>(*this); }
  [[nodiscard]] Topology topology() const override { return bandit::bandit_topology(parties, true, preprocessing); }
  [[nodiscard]] std::vector<RunRole> roles() const override;
  void check(const ConfigDocument& document) const override;
  void check_plan() const override;
  void name_files() override;
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override;
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override;
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;

  [[nodiscard]] Finding check_table() const;
  [[nodiscard]] Finding check_account() const;
  // Returns null if the config names no recipe. Throws InputError if the recipe cannot be read.
  [[nodiscard]] std::shared_ptr<const prepare::RowMaker> read_maker() const;
  // Throws InputError.
  [[nodiscard]] std::vector<FeatureColumn> read_columns() const;
  // Throws InputError.
  [[nodiscard]] std::vector<std::string> read_subjects() const;
  [[nodiscard]] double own_norm() const;
  // The number of roles on this machine: this role, and the roles whose address in [peers] is on the same machine.
  // Actor and rewarder have no address, so they are counted only if all addresses are on this machine.
  [[nodiscard]] std::size_t roles_here() const;
  [[nodiscard]] std::string interface_address() const;
};

[[nodiscard]] bandit::BanditParameters live_parameters(const LiveConfig& config, std::vector<std::size_t> columns);
// Throws InputError that names the settings if the plan's numbers do not fit into the words.
[[nodiscard]] bandit::BatchPlan live_plan(const LiveConfig& config, std::vector<std::size_t> columns);

// The functions below work on a role's store while the role does not run.

[[nodiscard]] LiveIdentity live_identity(const LiveConfig& config);
[[nodiscard]] SealingKey live_key(const LiveConfig& config);

// Copies the whole store to another folder, which must not contain a store. Throws what LiveStore throws.
void back_up_store(const LiveConfig& config, const std::filesystem::path& into);

// Changes the key that seals a store: from the private key in the file `old_key` to the key of the config. Returns
// false if the store already has the config's key. Throws what LiveStore throws, and InputError if neither of the two
// keys opens the store.
bool change_store_key(const LiveConfig& config, const std::filesystem::path& old_key);

}  // namespace sotto::apps::live
