// A program describes itself to the kit (apps/kit) with the data below. The roles of the program can then have configs,
// keys and links, and work with `sotto init` and `sotto doctor`. The data consist of the program's name, its kinds of
// roles, the list of its settings, and a struct derived from RoleSettings. This struct has the values of the settings,
// and functions for facts about the settings that only the program knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/files/row_order.h"
#include "apps/kit/settings/setting.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps {

struct Finding;
struct ConfigDocument;
struct RoleSettings;

struct RoleKind {
  std::string word;                    // the word in [role]: "party", "mask_generator"
  std::string name;                    // the name in a sentence: "party", "mask generator"
  bool listens = false;                // true: a role of this kind may listen and be in [peers]
  std::optional<std::size_t> first{};  // number of the first role; not set if the kind has only one role

  // The key in [peers] and [trust], which is also the name of the role's folder: "party_0", "dealer".
  [[nodiscard]] std::string key(std::size_t id) const;
  // The name of the role in a sentence: "party 0", "dealer".
  [[nodiscard]] std::string spoken(std::size_t id) const;
};

// A table of a program's configs, in addition to [run], [link], [role], [peers] and [trust].
struct ConfigTable {
  std::string name;
  bool own = false;   // true: each role has its own table; false: the handshake compares the table, as it does [run]
  std::string about;  // the comment above the table in a written config
};

struct Program {
  std::string word;         // the word that `protocol` in [run] has: "bandit"
  std::string name;         // the name in a sentence: "the private bandit"
  bool is_default = false;  // true: a config that names no protocol runs this program
  // The first line that the handshake compares. The version in this line increases whenever rounds, draws or their
  // meaning change.
  std::string version;
  std::vector<std::string> command{};  // words after `sotto` that start a role; if empty, the role's word is used
  // the executable that starts a role; if the executable is not `sotto`, a role has no command of its own
  std::string executable = "sotto";
  std::vector<RoleKind> roles{};
  // tables that configs of the program have in addition to the tables of all programs, in the order of a config file
  std::vector<ConfigTable> tables{};
  std::vector<Setting> settings{};  // settings in the order of a config file
  std::unique_ptr<RoleSettings> (*make)() = nullptr;

  // Adds the settings that every program has to the program's own settings, `of.settings`. Unless `of.tables` has the
  // table [align], also adds this table, which each role has for itself.
  [[nodiscard]] static Program with_common_settings(Program of);

  // The name of the table of second fingerprints, for programs whose roles can change their keys while other roles run.
  static constexpr const char* next_trust_table = "next_trust";
  [[nodiscard]] bool has_next_trust() const;
  // Whether each role has its own copy of the table.
  [[nodiscard]] bool is_own(std::string_view table) const;
  // The kind of role with the word `wanted`. Throws std::invalid_argument if the program has no such kind.
  [[nodiscard]] const RoleKind& kind(std::string_view wanted) const;
  // The setting with this table and key; null if the program has no such setting.
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view key) const;
};

// The config keys of all programs whose configs a process may read.
class Keys {
 public:
  explicit Keys(std::vector<const Program*> programs);

  [[nodiscard]] const std::vector<const Program*>& programs() const noexcept { return programs_; }
  // All settings of all programs, with each path once.
  [[nodiscard]] const std::vector<Setting>& all() const noexcept { return all_; }
  // The setting with this table and name in `program`. If `program` is null or has no such setting, returns the setting
  // of another program. Returns null if no program has such a setting.
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view name,
                                    const Program* program = nullptr) const;
  // The names of all tables, in the order of a config file.
  [[nodiscard]] const std::vector<std::string>& tables() const noexcept { return tables_; }
  [[nodiscard]] std::vector<std::string> names(std::string_view table) const;

 private:
  std::vector<const Program*> programs_;
  std::vector<std::string> tables_;
  std::vector<Setting> all_;
};

// A role of a run.
struct RunRole {
  std::string word;      // word of the role's kind
  std::size_t id = 0;    // number of the role, if there are several of its kind
  NodeId node = 0;       // node number on the links (include/sotto/protocol/mesh/peers.h)
  std::string key;       // key of the role: "party_0"
  std::string name;      // name of the role: "party 0"
  bool listens = false;  // whether another role connects to this role
};

// A numbered step in the README of a role.
struct ReadmeStep {
  enum class When : std::uint8_t { first, with_data, at_the_end };
  When when = When::with_data;
  std::string what;  // lines after the first line are indented by three blanks
  std::vector<std::string> commands{};
};

// The values in a role's config. The list of the program's settings describes these values.
struct Settings {
  Settings() = default;
  Settings(const Settings&) = default;
  Settings(Settings&&) = default;
  Settings& operator=(const Settings&) = default;
  Settings& operator=(Settings&&) = default;
  virtual ~Settings() = default;

  [[nodiscard]] virtual const Program& program() const = 0;
  // The name of the role for people: "party 0".
  [[nodiscard]] virtual std::string name() const = 0;
};

// The settings that are common to the roles of all programs that play in rounds.
struct RoleSettings : Settings {
  // Values of [run], [link] and [trust], which are the same at all roles.
  std::string session;  // 32 hex digits, new for every run
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;    // true: links do not use TLS
  bool insecure_shared_keys = false;  // true: the private keys of all roles were made in one place
  net::LinkConditions link;
  std::map<std::string, std::string> trust;  // role, such as "party_0" -> fingerprint of its certificate
  // The table [next_trust], which each role has for itself, with second fingerprints of roles that are changing their
  // keys.
  std::map<std::string, std::string> next_trust;

  // Values of [align]: how the ids of companies are compared before the run (apps/prepare/align/align_settings.h).
  UnicodeForm id_unicode = UnicodeForm::nfc;
  IdCase id_case = IdCase::keep;
  IdBlanks id_blanks = IdBlanks::ends;
  std::string align_also;  // key of a role that has a table in addition to the parties

  // Values of [role] and [peers].
  std::string role_word;  // word of the role's kind
  std::size_t id = 0;
  std::filesystem::path key;     // the role's private key and certificate, PEM
  std::string listen;            // host:port to bind; if empty, the role's address in [peers]
  std::filesystem::path report;  // the file in which the role writes its measurements
  double round_deadline_seconds = 60;
  double connect_deadline_seconds = 30;
  std::map<std::string, std::string> peers;  // role -> host:port, such as "party_0" -> "a.example:7100"

  [[nodiscard]] virtual std::unique_ptr<RoleSettings> clone() const = 0;
  [[nodiscard]] virtual Topology topology() const = 0;
  // All roles of the run.
  [[nodiscard]] virtual std::vector<RunRole> roles() const = 0;

  // Checks that the values of the config fit together. If two values do not fit together, throws an InputError that
  // starts with the origin of one of the values.
  virtual void check(const ConfigDocument& document) const = 0;
  // Checks the run itself. If the run would be wrong whatever its data are, throws an InputError that names the flag of
  // `sotto init`.
  virtual void check_plan() const = 0;
  // Sets the names of the files that the role reads and writes in its folder, for the configs of `sotto init`.
  virtual void name_files() = 0;
  // A short description of the run for people, such as "2 parties, 100 steps, 3 arms, epsilon 0.1".
  [[nodiscard]] virtual std::string in_short() const = 0;
  [[nodiscard]] virtual std::vector<ReadmeStep> readme_steps() const = 0;
  // The three functions below are for `sotto doctor`: they check the role's files, make the role's announcement, and
  // judge all announcements.
  [[nodiscard]] virtual std::vector<Finding> check_files() const = 0;
  [[nodiscard]] virtual std::string announcement() const = 0;
  [[nodiscard]] virtual std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const = 0;

  // The role's name, such as "party 0" or "mask generator". The function display_name() puts an article before the name
  // of a role that is the only one of its kind: "the mask generator".
  [[nodiscard]] std::string name() const override { return program().kind(role_word).spoken(id); }
  [[nodiscard]] std::string display_name() const;
  // The role's key in tables: "party_0".
  [[nodiscard]] std::string role_key() const { return program().kind(role_word).key(id); }
  // The element of roles() that is this role. Throws std::invalid_argument if the run has no such role.
  [[nodiscard]] RunRole own_role() const;
  // The words after `sotto` that run the role, such as {"party"} or {"o3m", "role"}.
  [[nodiscard]] std::vector<std::string> command() const;
  // The command that starts the role, such as "sotto party" or "sotto o3m role".
  [[nodiscard]] std::string started_by() const;

 protected:
  // The index of role_word among the program's kinds of roles. The index is 0 while role_word is empty.
  [[nodiscard]] std::size_t role_index() const;
  void set_role_index(std::size_t index, std::size_t number);
  // Makes an element of roles().
  [[nodiscard]] RunRole run_role(std::string_view word, std::size_t number, std::size_t node) const;
  // Adds the roles that make the run's randomness to `roles`, in addition to the parties.
  void add_makers(std::vector<RunRole>& roles) const;
};

// RoleSettings in which the kind of a role is an enum of the program. The values of the enum R are in the order of
// Program::roles.
template <class R>
struct RoleSettingsOf : RoleSettings {
  [[nodiscard]] R role() const { return static_cast<R>(role_index()); }
  void set_role(R role, std::size_t number = 0) { set_role_index(static_cast<std::size_t>(role), number); }
};

// role_names() returns the keys of all roles, and listening_roles() the keys of the roles that listen.
[[nodiscard]] std::vector<std::string> role_names(const RoleSettings& settings);
[[nodiscard]] std::vector<std::string> listening_roles(const RoleSettings& settings);

// A new session: 32 hex digits from the operating system.
[[nodiscard]] std::string fresh_session();

}  // namespace sotto::apps
