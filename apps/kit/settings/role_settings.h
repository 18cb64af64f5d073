// A role's settings as a config file has them: reading, writing, comparing, by the list of its program.
//
// What a role runs with is what stands in its file, above it the variables of the environment, above them the flags,
// and defaults for the rest.
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

// A value that is to replace the file's.
struct GivenSetting {
  Setting key;
  ConfigValue value;
};

// What stands above the file of a config: variables of the environment, and above them flags.
//
// A text of a variable or a flag is taken as the kind of its key (setting.h) wants it: a text or a path as it is,
// without quotes; a whole number, a number or true/false as TOML writes them. What is not of that kind is kept as a
// text, so that the one reader refuses it and names its origin.
struct ConfigOverlay {
  std::vector<GivenSetting> variables;
  std::vector<GivenSetting> flags;
};

// From "SOTTO_RUN_STEPS" -> "100" and its like. An empty variable counts as one that is not set; variables of other
// names do not matter, except one that is like the name of a key: InputError, with the name that was probably meant.
[[nodiscard]] std::vector<GivenSetting> settings_of_variables(const Keys& keys,
                                                              const std::map<std::string, std::string>& variables);

// The variables of this process.
[[nodiscard]] std::map<std::string, std::string> process_variables();

// From "run.steps=100", the argument of --set. Throws InputError.
[[nodiscard]] GivenSetting setting_of_assignment(const Keys& keys, const std::string& assignment);

// From a flag of the key's own.
[[nodiscard]] GivenSetting setting_of_flag(const Setting& key, const std::string& text);

// Puts the variables and then the flags over what is in the document. InputError if two flags give the same key.
void lay_over(ConfigDocument& document, const ConfigOverlay& overlay);

using Origins = std::map<std::string, Origin>;  // "run.steps" -> where it came from; not here: a default

struct EffectiveConfig {
  std::shared_ptr<RoleSettings> config;  // of the program that the document names
  Origins origins;
};
[[nodiscard]] Origins origins_of(const ConfigDocument& document);

// Throws InputError that starts with the origin of what is wrong: a key of another program, a value of a wrong type or
// out of its range, a required one that is missing, values that do not fit together.
[[nodiscard]] EffectiveConfig config_of(ConfigDocument document);

// Reads the file, lays the overlay over it and makes a config of that. Paths are absolute then.
[[nodiscard]] EffectiveConfig read_effective_config(const Keys& keys, const std::filesystem::path& file,
                                                    const ConfigOverlay& overlay);

// The file alone, of one program.
template <class S>
[[nodiscard]] S read_role_config(const std::filesystem::path& file) {
  const Keys keys({&S().program()});
  return static_cast<const S&>(*read_effective_config(keys, file, {}).config);
}

// The program of a document: the one that protocol in [run] names. Throws InputError.
[[nodiscard]] const Program& program_of(const ConfigDocument& document);

// Reads the document's values of these tables, or of all where none is named, into `settings`, each checked by itself.
void read_settings(const ConfigDocument& document, Settings& settings, const std::vector<std::string>& tables = {});

struct ConfigLine {
  const Setting* setting;
  std::string value;  // as TOML writes it
};
// One a key, in the order of the list. Settings that are not set have none.
[[nodiscard]] std::vector<ConfigLine> config_lines(const Settings& settings);

// What reads back as the same settings.
[[nodiscard]] std::string to_toml(const RoleSettings& settings);

// The config as TOML, a line a value, each with its origin as a comment ("party_0.toml:7", "SOTTO_RUN_STEPS", "--set
// run.steps", "default"). It reads back as the same config; paths are absolute. What makes a run insecure is marked;
// nothing in a config is a secret of its role.
[[nodiscard]] std::string annotated_toml(const Settings& settings, const Origins& origins);
[[nodiscard]] inline std::string annotated_toml(const EffectiveConfig& effective) {
  return annotated_toml(*effective.config, effective.origins);
}

// What all roles must have alike, a line a setting: the tables [run], [link], [trust] and those
// of the program that are no role's own. A line of [trust] has the second fingerprint of the role behind the first.
[[nodiscard]] std::string agreed_text(const RoleSettings& settings);

// What makes the run insecure, by name, as results show it: "insecure-plaintext", ...
[[nodiscard]] std::vector<std::string> insecure_options(const RoleSettings& settings);

// The settings in [run] by key, defaults too.
[[nodiscard]] nlohmann::json settings_json(const Settings& settings);

// The settings that roles of every program have, and what holds for them together.

// Addresses that can be read, each role at one of its own; [peers] and [trust] complete, and nothing in them that is no
// role of the run; fingerprints well formed and of different certificates; a key of its own unless links are in plain
// text; no report over an input; and what the program itself checks. Throws InputError that starts with the origin of
// what is wrong.
void check_common_settings(const RoleSettings& config, const ConfigDocument& document);

// [align] of a role's config: how companies' ids are compared before a run.

inline constexpr const char* align_table = "align";

// The keys of [align]. In an alignment each has a line in what roles compare; in a run's config those that are not the
// default.
[[nodiscard]] std::vector<Setting> align_setting_list(bool of_alignment);
[[nodiscard]] ConfigTable align_config_table(bool of_alignment);

}  // namespace sotto::apps
