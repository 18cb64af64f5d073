// The config that a role runs with: what stands in its file, above it the variables of the
// environment, above them the flags, and defaults for the rest.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sotto/apps/kit/deploy/config.h"
#include "sotto/apps/kit/settings/document.h"
#include "sotto/apps/kit/settings/overlay.h"

namespace sotto::apps {

struct EffectiveConfig {
  RoleConfig config;
  std::map<std::string, Origin> origins;  // "run.steps" -> where it came from; not here: a default
};

// Throws InputError that starts with the origin of what is wrong: a value of a wrong type or out of
// its range, a table that is not complete, values that do not fit together (checks.h).
[[nodiscard]] EffectiveConfig config_of(const ConfigDocument& document);

// Reads the file, lays the overlay over it and makes a config of that.
[[nodiscard]] EffectiveConfig read_effective_config(const std::filesystem::path& file,
                                                    const ConfigOverlay& overlay);

// The config as TOML, a line a value, each with its origin as a comment ("party_0.toml:7",
// "SOTTO_RUN_STEPS", "--set run.steps", "default"). It reads back as the same config; paths are
// absolute. What makes a run insecure is marked; nothing in a config is a secret of its role.
[[nodiscard]] std::string annotated_toml(const EffectiveConfig& effective);

}  // namespace sotto::apps
