// A Program describes the roles and the settings of a program. A struct contains the values of the settings.
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
  std::string word;  // such as "mask_generator"
  std::string name;
  bool listens = false;                // whether its roles may be in [peers]
  std::optional<std::size_t> first{};  // number of the first role of this kind

  // Such as "party_0".
  [[nodiscard]] std::string key(std::size_t id) const;
  [[nodiscard]] std::string spoken(std::size_t id) const;
};

struct ConfigTable {
  std::string name;
  bool own = false;   // if false, all roles compare the table
  std::string about;  // comment above the table in a written config
};

struct Program {
  std::string word;  // such as "bandit"
  std::string name;
  bool is_default = false;  // default for configs without `protocol`
  // The first line that the handshake compares. The version in this line increases whenever the rounds, the random
  // draws or their meaning change.
  std::string version;
  std::vector<std::string> command{};  // words of the command after `sotto`
  std::string executable = "sotto";
  std::vector<RoleKind> roles{};
  std::vector<ConfigTable> tables{};
  std::vector<Setting> settings{};
  std::unique_ptr<RoleSettings> (*make)() = nullptr;

  [[nodiscard]] static Program with_common_settings(Program of);

  // This table exists for programs whose roles can change their keys while other roles run.
  static constexpr const char* next_trust_table = "next_trust";
  [[nodiscard]] bool has_next_trust() const;
  [[nodiscard]] bool is_own(std::string_view table) const;
  [[nodiscard]] const RoleKind& kind(std::string_view wanted) const;
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view key) const;
};

class Keys {
 public:
  explicit Keys(std::vector<const Program*> programs);

  [[nodiscard]] const std::vector<const Program*>& programs() const noexcept { return programs_; }
  [[nodiscard]] const std::vector<Setting>& all() const noexcept { return all_; }
  // Prefers a setting of `program`, which may be null.
  [[nodiscard]] const Setting* find(std::string_view table, std::string_view name,
                                    const Program* program = nullptr) const;
  [[nodiscard]] const std::vector<std::string>& tables() const noexcept { return tables_; }
  [[nodiscard]] std::vector<std::string> names(std::string_view table) const;

 private:
  std::vector<const Program*> programs_;
  std::vector<std::string> tables_;
  std::vector<Setting> all_;
};

struct RunRole {
  std::string word;
  std::size_t id = 0;
  NodeId node = 0;
  std::string key;  // such as "party_0"
  std::string name;
  bool listens = false;
};

struct ReadmeStep {
  enum class When : std::uint8_t { first, with_data, at_the_end };
  When when = When::with_data;
  std::string what;
  std::vector<std::string> commands{};
};

struct Settings {
  Settings() = default;
  Settings(const Settings&) = default;
  Settings(Settings&&) = default;
  Settings& operator=(const Settings&) = default;
  Settings& operator=(Settings&&) = default;
  virtual ~Settings() = default;

  [[nodiscard]] virtual const Program& program() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

struct RoleSettings : Settings {
  std::string session;  // 32 hex digits
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;    // links without TLS
  bool insecure_shared_keys = false;  // all private keys were made in one place
  net::LinkConditions link;
  std::map<std::string, std::string> trust;  // role -> fingerprint
  // The fingerprints of new keys. Each role has a table of its own.
  std::map<std::string, std::string> next_trust;

  // These three settings say how the ids of companies are compared.
  UnicodeForm id_unicode = UnicodeForm::nfc;
  IdCase id_case = IdCase::keep;
  IdBlanks id_blanks = IdBlanks::ends;
  std::string align_also;

  std::string role_word;
  std::size_t id = 0;
  std::filesystem::path key;     // private key, PEM
  std::string listen;            // address to bind, by default as in [peers]
  std::filesystem::path report;  // the role's measurements
  double round_deadline_seconds = 60;
  double connect_deadline_seconds = 30;
  std::map<std::string, std::string> peers;  // role -> host:port

  [[nodiscard]] virtual std::unique_ptr<RoleSettings> clone() const = 0;
  [[nodiscard]] virtual Topology topology() const = 0;
  [[nodiscard]] virtual std::vector<RunRole> roles() const = 0;

  virtual void check(const ConfigDocument& document) const = 0;
  // Throws an InputError that names the flag of `sotto init` if no data could make the settings valid.
  virtual void check_plan() const = 0;
  virtual void name_files() = 0;
  [[nodiscard]] virtual std::string in_short() const = 0;
  [[nodiscard]] virtual std::vector<ReadmeStep> readme_steps() const = 0;
  // `sotto doctor` calls the next three functions.
  [[nodiscard]] virtual std::vector<Finding> check_files() const = 0;
  [[nodiscard]] virtual std::string announcement() const = 0;
  [[nodiscard]] virtual std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const = 0;

  // The function display_name() adds an article: "the mask generator".
  [[nodiscard]] std::string name() const override { return program().kind(role_word).spoken(id); }
  [[nodiscard]] std::string display_name() const;
  // Such as "party_0".
  [[nodiscard]] std::string role_key() const { return program().kind(role_word).key(id); }
  // Throws std::invalid_argument if the run does not have this role.
  [[nodiscard]] RunRole own_role() const;
  [[nodiscard]] std::vector<std::string> command() const;
  [[nodiscard]] std::string started_by() const;

 protected:
  [[nodiscard]] std::size_t role_index() const;
  void set_role_index(std::size_t index, std::size_t number);
  [[nodiscard]] RunRole run_role(std::string_view word, std::size_t number, std::size_t node) const;
  void add_makers(std::vector<RunRole>& roles) const;
};

// The values of the enum R are in the order of Program::roles.
template <class R>
struct RoleSettingsOf : RoleSettings {
  [[nodiscard]] R role() const { return static_cast<R>(role_index()); }
  void set_role(R role, std::size_t number = 0) { set_role_index(static_cast<std::size_t>(role), number); }
};

[[nodiscard]] std::vector<std::string> role_names(const RoleSettings& settings);
[[nodiscard]] std::vector<std::string> listening_roles(const RoleSettings& settings);

// A session is 32 hex digits from the operating system.
[[nodiscard]] std::string fresh_session();

}  // namespace sotto::apps
