// The data that a program passes to the kit, so that its roles have configs, keys and links, and work with `sotto init`
// and `sotto doctor` as well. It consists of the program's name, its kinds of roles, the list of its settings, and a
// struct derived from RoleSettings. The struct has the values of the settings, and the facts that only the program
// knows about them.
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
  bool listens = false;                // a role of this kind may listen, so [peers] may have it
  std::optional<std::size_t> first{};  // number of the first role; not set if there is only one role of the kind

  // The key in [peers] and [trust], which is also the name of the role's folder: "party_0", "dealer".
  [[nodiscard]] std::string key(std::size_t id) const;
  // The role in a sentence: "party 0", "dealer".
  [[nodiscard]] std::string spoken(std::size_t id) const;
};

// A table of a program's configs, in addition to [run], [link], [role], [peers] and [trust].
struct ConfigTable {
  std::string name;
  bool own = false;   // true: each role has its own table; false: the handshake compares the table like [run]
  std::string about;  // the comment above the table in a written config
};

struct Program {
  std::string word;         // the word that `protocol` in [run] has: "bandit"
  std::string name;         // the name in a sentence: "the private bandit"
  bool is_default = false;  // true: a config that names no protocol runs this program
  // The first line that the handshake compares. Its version increases whenever rounds, draws or their meaning change.
  std::string version;
  std::vector<std::string> command{};  // words after `sotto` that start every role; empty: a role's word is its command
  // the executable that starts a role; if it is not `sotto`, a role has no command of its own
  std::string executable = "sotto";
  std::vector<RoleKind> roles{};
  // tables of its configs, in addition to the tables that all programs have, in the order of a file
  std::vector<ConfigTable> tables{};
  std::vector<Setting> settings{};  // settings in the order of a file
  std::unique_ptr<RoleSettings> (*make)() = nullptr;

  // `of.settings`, which are the program's own settings, together with the settings that every program has. Adds the
  // table [align], which is each role's own, unless `of.tables` has it.
  [[nodiscard]] static Program with_common_settings(Program of);

  // The table of second fingerprints, for programs whose roles change their keys while other roles run.
  static constexpr const char* next_trust_table = "next_trust";
  [[nodiscard]] bool has_next_trust() const;
  // Whether each role has its own copy of the table.
  [[nodiscard]] bool is_own(std::string_view table) const;
  // The kind of role with that word. Throws std::invalid_argument if there is none.
  [[nodiscard]] const RoleKind& kind(std::string_view wanted) const;
  // The setting; null if there is no such setting.
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view key) const;
};

// The keys of all programs whose configs a process may read.
class Keys {
 public:
  explicit Keys(std::vector<const Program*> programs);

  [[nodiscard]] const std::vector<const Program*>& programs() const noexcept { return programs_; }
  // All settings. Each path occurs once.
  [[nodiscard]] const std::vector<Setting>& all() const noexcept { return all_; }
  // The setting of `program`. If `program` is null or has no such setting, the setting of another program; null if no
  // program has it.
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view name,
                                    const Program* program = nullptr) const;
  // The names of all tables, in the order of a file.
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

// A numbered step of a role's README.
struct ReadmeStep {
  enum class When : std::uint8_t { first, with_data, at_the_end };
  When when = When::with_data;
  std::string what;  // lines after the first are indented by three
  std::vector<std::string> commands{};
};

// The values of a role's config, by the settings in the program's list.
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

// The values that roles of all programs have if they play in rounds.
struct RoleSettings : Settings {
  // Values of [run], [link] and [trust], which are the same at all roles.
  std::string session;  // 32 hex digits, new for every run
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;    // true: links do not use TLS
  bool insecure_shared_keys = false;  // true: the private keys of all roles were made in one place
  net::LinkConditions link;
  std::map<std::string, std::string> trust;  // role, such as "party_0" -> fingerprint of its certificate
  // [next_trust], which each role has for itself: a second fingerprint of a role that is changing its key.
  std::map<std::string, std::string> next_trust;

  // [align]: how the ids of companies are compared before the run (apps/prepare/align/align_settings.h)
  UnicodeForm id_unicode = UnicodeForm::nfc;
  IdCase id_case = IdCase::keep;
  IdBlanks id_blanks = IdBlanks::ends;
  std::string align_also;  // key of a role that has a table in addition to the parties

  // Values of [role] and [peers].
  std::string role_word;  // word of the role's kind
  std::size_t id = 0;
  std::filesystem::path key;     // the role's private key and certificate, PEM
  std::string listen;            // host:port to bind; empty: the role's own address in [peers]
  std::filesystem::path report;  // the file in which the role writes its measurements
  double round_deadline_seconds = 60;
  double connect_deadline_seconds = 30;
  std::map<std::string, std::string> peers;  // role -> host:port, such as "party_0" -> "a.example:7100"

  [[nodiscard]] virtual std::unique_ptr<RoleSettings> clone() const = 0;
  [[nodiscard]] virtual Topology topology() const = 0;
  // All roles of the run.
  [[nodiscard]] virtual std::vector<RunRole> roles() const = 0;

  // Throws InputError that starts with the origin of values that do not fit together.
  virtual void check(const ConfigDocument& document) const = 0;
  // Throws InputError that names the flag of `sotto init`, for a run that would be wrong with any data.
  virtual void check_plan() const = 0;
  // Sets the names of the files that a role made by `sotto init` reads and writes in its folder.
  virtual void name_files() = 0;
  // The run in short, for people: "2 parties, 100 steps, 3 arms, epsilon 0.1".
  [[nodiscard]] virtual std::string in_short() const = 0;
  [[nodiscard]] virtual std::vector<ReadmeStep> readme_steps() const = 0;
  // These functions are for the doctor: they check the role's files, make its announcement, and judge all
  // announcements.
  [[nodiscard]] virtual std::vector<Finding> check_files() const = 0;
  [[nodiscard]] virtual std::string announcement() const = 0;
  [[nodiscard]] virtual std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const = 0;

  // The role's name: "party 0", "mask generator". spoken_name() puts an article before the name of a role that is the
  // only one of its kind: "the mask generator".
  [[nodiscard]] std::string name() const override { return program().kind(role_word).spoken(id); }
  [[nodiscard]] std::string spoken_name() const;
  // The role's key in tables: "party_0".
  [[nodiscard]] std::string role_key() const { return program().kind(role_word).key(id); }
  // This role as a role of its run. Throws std::invalid_argument if the run has no such role.
  [[nodiscard]] RunRole own_role() const;
  // The words after `sotto` that run the role: {"party"}, {"o3m", "role"}.
  [[nodiscard]] std::vector<std::string> command() const;
  // The command that starts the role: "sotto party", "sotto o3m role".
  [[nodiscard]] std::string started_by() const;

 protected:
  // The index of role_word among the program's kinds of roles. 0 while role_word is empty.
  [[nodiscard]] std::size_t role_index() const;
  void set_role_index(std::size_t index, std::size_t number);
  // Makes an element of roles().
  [[nodiscard]] RunRole run_role(std::string_view word, std::size_t number, std::size_t node) const;
  // Adds to roles() the roles that make the run's randomness, in addition to its parties.
  void add_makers(std::vector<RunRole>& roles) const;
};

// RoleSettings with the program's own names for its roles. R is an enum in the order of Program::roles.
template <class R>
struct RoleSettingsOf : RoleSettings {
  [[nodiscard]] R role() const { return static_cast<R>(role_index()); }
  void set_role(R role, std::size_t number = 0) { set_role_index(static_cast<std::size_t>(role), number); }
};

// The keys of all roles, and of the roles that listen.
[[nodiscard]] std::vector<std::string> role_names(const RoleSettings& settings);
[[nodiscard]] std::vector<std::string> listening_roles(const RoleSettings& settings);

// A new session: 32 hex digits from the operating system.
[[nodiscard]] std::string fresh_session();

}  // namespace sotto::apps
