// Reads, writes and compares the settings of a role as a config file. The list of settings of the role's program
// describes these settings.
//
// A role runs with the values of its config file. Environment variables win over the file, and flags win over
// environment variables. Settings that are given nowhere have their defaults.
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

// A value that replaces the value in the config file.
struct GivenSetting {
  Setting key;
  ConfigValue value;
};

// The values that win over those of the config file: environment variables, and flags, which win over the variables.
//
// The text of a variable or a flag is interpreted according to the kind of its key (setting.h). The value of a text or
// a path is the text itself, without quotes. A whole number, a number or true/false has the same form as in TOML. If
// the text does not fit the kind of the key, the value is a text, so that the reader of the config refuses the value
// and names its origin.
struct ConfigOverlay {
  std::vector<GivenSetting> variables;
  std::vector<GivenSetting> flags;
};

// Makes settings from environment variables such as "SOTTO_RUN_STEPS" -> "100". An empty variable counts as not set.
// Other variables are ignored, except those that look like mistyped variables of a config. A mistyped variable causes
// InputError, which suggests the name that was probably meant, if there is one.
[[nodiscard]] std::vector<GivenSetting> settings_of_variables(const Keys& keys,
                                                              const std::map<std::string, std::string>& variables);

// The environment variables of this process.
[[nodiscard]] std::map<std::string, std::string> process_variables();

// Makes a setting from the argument of --set, such as "run.steps=100". Throws InputError if the argument is invalid.
[[nodiscard]] GivenSetting setting_of_assignment(const Keys& keys, const std::string& assignment);

// Makes a setting from the text of the key's own flag.
[[nodiscard]] GivenSetting setting_of_flag(const Setting& key, const std::string& text);

// Replaces values of the document, first by those of the variables and then by those of the flags. Throws InputError if
// two flags set the same key.
void lay_over(ConfigDocument& document, const ConfigOverlay& overlay);

using Origins = std::map<std::string, Origin>;  // path, such as "run.steps" -> origin; a default has no origin

struct EffectiveConfig {
  std::shared_ptr<RoleSettings> config;  // config for the program that the document names
  Origins origins;
};
[[nodiscard]] Origins origins_of(const ConfigDocument& document);

// Interprets a document as a config. If the document has a fault, throws an InputError that starts with the origin of
// the fault. Faults are a key of another program, a value of a wrong type or out of its range, and a missing required
// key. Values that do not fit together are also a fault.
[[nodiscard]] EffectiveConfig config_of(ConfigDocument document);

// Reads the file, applies the overlay by lay_over() and makes a config. The paths of the config are absolute.
[[nodiscard]] EffectiveConfig read_effective_config(const Keys& keys, const std::filesystem::path& file,
                                                    const ConfigOverlay& overlay);

// Reads a config of one known program from the file only, without variables and flags.
template <class S>
[[nodiscard]] S read_role_config(const std::filesystem::path& file) {
  const Keys keys({&S().program()});
  return static_cast<const S&>(*read_effective_config(keys, file, {}).config);
}

// The program that `protocol` in [run] names. Throws InputError.
[[nodiscard]] const Program& program_of(const ConfigDocument& document);

// Reads the values of the named tables of the document into `settings`. If `tables` is empty, reads all tables. Each
// value is checked by itself.
void read_settings(const ConfigDocument& document, Settings& settings, const std::vector<std::string>& tables = {});

struct ConfigLine {
  const Setting* setting;
  std::string value;  // the value as TOML writes it
};
// One line per key, in the order of the program's list of settings. A setting that is not set has no line.
[[nodiscard]] std::vector<ConfigLine> config_lines(const Settings& settings);

// The settings as TOML. Reading the TOML gives the same settings.
[[nodiscard]] std::string to_toml(const RoleSettings& settings);

// The config as TOML with one line per value, and with the origin of each value as a comment ("party_0.toml:7",
// "SOTTO_RUN_STEPS", "--set run.steps", "default"). Reading the TOML gives the same config, with absolute paths. The
// text marks settings that make a run insecure. A config contains no secret of its role.
[[nodiscard]] std::string annotated_toml(const Settings& settings, const Origins& origins);
[[nodiscard]] inline std::string annotated_toml(const EffectiveConfig& effective) {
  return annotated_toml(*effective.config, effective.origins);
}

// The settings that all roles must have in common, with one line per setting. These are the tables [run], [link],
// [trust], and the program's tables that are the same for all roles. In a line of [trust], the second fingerprint of a
// role follows the first fingerprint.
[[nodiscard]] std::string agreed_text(const RoleSettings& settings);

// The names of the settings that make the run insecure, in the form that results show: "insecure-plaintext", ...
[[nodiscard]] std::vector<std::string> insecure_options(const RoleSettings& settings);

// The settings in [run] as a JSON object by key, including defaults.
[[nodiscard]] nlohmann::json settings_json(const Settings& settings);

// The function below checks the settings that the roles of every program have.

// Checks the following conditions, and the conditions of the program:
// - Addresses can be read, and each role has its own address.
// - [peers] and [trust] are complete, and every entry is a role of the run.
// - Fingerprints are well formed and belong to different certificates.
// - The role has a key of its own unless links are in plain text.
// - No report overwrites an input.
// Throws an InputError that starts with the origin of the fault.
void check_common_settings(const RoleSettings& config, const ConfigDocument& document);

// The table [align] of a config says how the ids of companies are compared before a run.

inline constexpr const char* align_table = "align";

// The settings in [align]. In an alignment, every key has a line in the text that roles compare. In a run's config,
// only keys that differ from the default have a line.
[[nodiscard]] std::vector<Setting> align_setting_list(bool of_alignment);
[[nodiscard]] ConfigTable align_config_table(bool of_alignment);

}  // namespace sotto::apps
