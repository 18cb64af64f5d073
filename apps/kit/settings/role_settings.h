// Reads the settings of a role, and writes them as a config. Flags win over environment variables, and environment
// variables win over the config file.
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

struct GivenSetting {
  Setting key;
  ConfigValue value;
};

// The value of a variable or flag is written as in TOML, but a text or path is written without quotes. A value that
// does not fit its key is refused when the config is read.
struct ConfigOverlay {
  std::vector<GivenSetting> variables;
  std::vector<GivenSetting> flags;
};

// An empty variable counts as not set. A variable that looks like a mistyped name causes InputError; other variables
// are ignored.
[[nodiscard]] std::vector<GivenSetting> settings_of_variables(const Keys& keys,
                                                              const std::map<std::string, std::string>& variables);

[[nodiscard]] std::map<std::string, std::string> process_variables();

// Throws InputError if the argument is invalid.
[[nodiscard]] GivenSetting setting_of_assignment(const Keys& keys, const std::string& assignment);

[[nodiscard]] GivenSetting setting_of_flag(const Setting& key, const std::string& text);

// Throws InputError if two flags set the same key.
void lay_over(ConfigDocument& document, const ConfigOverlay& overlay);

using Origins = std::map<std::string, Origin>;  // path -> origin

struct EffectiveConfig {
  std::shared_ptr<RoleSettings> config;
  Origins origins;
};
[[nodiscard]] Origins origins_of(const ConfigDocument& document);

// Throws an InputError that starts with the origin of the fault, for a wrong or missing value, a key of another
// program, and values that do not fit together.
[[nodiscard]] EffectiveConfig config_of(ConfigDocument document);

[[nodiscard]] EffectiveConfig read_effective_config(const Keys& keys, const std::filesystem::path& file,
                                                    const ConfigOverlay& overlay);

template <class S>
[[nodiscard]] S read_role_config(const std::filesystem::path& file) {
  const Keys keys({&S().program()});
  return static_cast<const S&>(*read_effective_config(keys, file, {}).config);
}

// Throws InputError if the document names an unknown protocol.
[[nodiscard]] const Program& program_of(const ConfigDocument& document);

void read_settings(const ConfigDocument& document, Settings& settings, const std::vector<std::string>& tables = {});

struct ConfigLine {
  const Setting* setting;
  std::string value;
};
// A setting that is not set has no line.
[[nodiscard]] std::vector<ConfigLine> config_lines(const Settings& settings);

// Reading the TOML gives the same settings.
[[nodiscard]] std::string to_toml(const RoleSettings& settings);

// Each value has a line, with the origin of the value as a comment. Reading the TOML gives the same config, with
// absolute paths. A config contains no secret of its role.
[[nodiscard]] std::string annotated_toml(const Settings& settings, const Origins& origins);
[[nodiscard]] inline std::string annotated_toml(const EffectiveConfig& effective) {
  return annotated_toml(*effective.config, effective.origins);
}

// The settings that all roles must have in common, one line per setting: [run], [link], [trust], and the program's
// tables that are the same for all roles.
[[nodiscard]] std::string agreed_text(const RoleSettings& settings);

[[nodiscard]] std::vector<std::string> insecure_options(const RoleSettings& settings);

// The settings of [run] that all roles share, including default values.
[[nodiscard]] nlohmann::json settings_json(const Settings& settings);

// Checks the following conditions, and the conditions of the program:
// - Addresses can be read, and each role has its own address.
// - [peers] and [trust] are complete, and every entry is a role of the run.
// - Fingerprints are well formed and belong to different certificates.
// - The role has a key of its own unless links are in plain text.
// - No report overwrites an input.
// Throws an InputError that starts with the origin of the fault.
void check_common_settings(const RoleSettings& config, const ConfigDocument& document);

inline constexpr const char* align_table = "align";

// If `of_alignment` is true, the roles compare every setting of [align]. Otherwise a config lists only the settings of
// [align] that differ from their defaults.
[[nodiscard]] std::vector<Setting> align_setting_list(bool of_alignment);
[[nodiscard]] ConfigTable align_config_table(bool of_alignment);

}  // namespace sotto::apps
