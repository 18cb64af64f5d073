// A role's settings as a config file: reading, writing and comparing them, by the list of the role's program.
//
// A role runs with the values of its file. Variables of the environment win over the file, and flags win over
// variables. All other settings have their defaults.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/kit/settings/document.h"
#include "apps/kit/settings/program.h"

namespace sotto::apps {

// A value that replaces the file's value.
struct GivenSetting {
  Setting key;
  ConfigValue value;
};

// Values that win over the file of a config: variables of the environment, and flags, which win over the variables.
//
// The text of a variable or a flag is interpreted by the kind of its key (setting.h). A text or a path is taken
// unchanged, without quotes. A whole number, a number or true/false has the form that TOML uses. A text of the wrong
// kind is kept as a text, so that the one reader refuses it and names its origin.
struct ConfigOverlay {
  std::vector<GivenSetting> variables;
  std::vector<GivenSetting> flags;
};

// Takes entries such as "SOTTO_RUN_STEPS" -> "100". An empty variable counts as not set. Variables of other names are
// ignored, except a variable whose name is similar to the name of a key. It causes an InputError that suggests the name
// that was probably meant.
[[nodiscard]] std::vector<GivenSetting> settings_of_variables(const Keys& keys,
                                                              const std::map<std::string, std::string>& variables);

// The variables of this process.
[[nodiscard]] std::map<std::string, std::string> process_variables();

// Takes "run.steps=100", the argument of --set. Throws InputError.
[[nodiscard]] GivenSetting setting_of_assignment(const Keys& keys, const std::string& assignment);

// Makes a setting from the text of the key's own flag.
[[nodiscard]] GivenSetting setting_of_flag(const Setting& key, const std::string& text);

// Puts the variables and then the flags over the values of the document. Throws InputError if two flags give one key.
void lay_over(ConfigDocument& document, const ConfigOverlay& overlay);

using Origins = std::map<std::string, Origin>;  // path, such as "run.steps" -> origin; a default has none

struct EffectiveConfig {
  std::shared_ptr<RoleSettings> config;  // config of the program that the document names
  Origins origins;
};
[[nodiscard]] Origins origins_of(const ConfigDocument& document);

// Throws InputError that starts with the origin of the fault. Faults are a key of another program, a value of a wrong
// type or out of its range, and a missing required key. Values that do not fit together are a fault too.
[[nodiscard]] EffectiveConfig config_of(ConfigDocument document);

// Reads the file, lays the overlay over it and makes a config. The paths of the config are absolute.
[[nodiscard]] EffectiveConfig read_effective_config(const Keys& keys, const std::filesystem::path& file,
                                                    const ConfigOverlay& overlay);

// Reads only the file, for one program.
template <class S>
[[nodiscard]] S read_role_config(const std::filesystem::path& file) {
  const Keys keys({&S().program()});
  return static_cast<const S&>(*read_effective_config(keys, file, {}).config);
}

// The program that `protocol` in [run] names. Throws InputError.
[[nodiscard]] const Program& program_of(const ConfigDocument& document);

// Reads the document's values of these tables into `settings`, or of all tables if none is named. Each value is checked
// separately.
void read_settings(const ConfigDocument& document, Settings& settings, const std::vector<std::string>& tables = {});

struct ConfigLine {
  const Setting* setting;
  std::string value;  // the value as TOML writes it
};
// One line per key, in the order of the list. A setting that is not set has no line.
[[nodiscard]] std::vector<ConfigLine> config_lines(const Settings& settings);

// The settings as TOML that reads back as the same settings.
[[nodiscard]] std::string to_toml(const RoleSettings& settings);

// The config as TOML with one line per value and its origin as a comment ("party_0.toml:7", "SOTTO_RUN_STEPS", "--set
// run.steps", "default"). The text reads back as the same config, with absolute paths. Settings that make a run
// insecure are marked. A config contains no secret of its role.
[[nodiscard]] std::string annotated_toml(const Settings& settings, const Origins& origins);
[[nodiscard]] inline std::string annotated_toml(const EffectiveConfig& effective) {
  return annotated_toml(*effective.config, effective.origins);
}

// The settings that all roles must have in common, with one line per setting: the tables [run], [link], [trust], and
// the program's tables that are no role's own. A line of [trust] has the second fingerprint of the role after the
// first.
[[nodiscard]] std::string agreed_text(const RoleSettings& settings);

// The names of the settings that make the run insecure, as results show them: "insecure-plaintext", ...
[[nodiscard]] std::vector<std::string> insecure_options(const RoleSettings& settings);

// The settings in [run] by key, including defaults.
[[nodiscard]] nlohmann::json settings_json(const Settings& settings);

// The settings that roles of every program have, and the conditions that hold for them together.

// Checks the following conditions, and the conditions of the program:
// - Addresses can be read, and each role has its own address.
// - [peers] and [trust] are complete, and have no entry that is no role of the run.
// - Fingerprints are well formed and belong to different certificates.
// - The role has a key of its own unless links are in plain text.
// - No report overwrites an input.
// Throws InputError that starts with the origin of the fault.
void check_common_settings(const RoleSettings& config, const ConfigDocument& document);

// [align] of a role's config: how the ids of companies are compared before a run.

inline constexpr const char* align_table = "align";

// The keys of [align]. In an alignment, every key has a line in the text that roles compare. In a run's config, only
// keys that differ from the default have a line.
[[nodiscard]] std::vector<Setting> align_setting_list(bool of_alignment);
[[nodiscard]] ConfigTable align_config_table(bool of_alignment);

}  // namespace sotto::apps
