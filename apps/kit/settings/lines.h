// A config as the lines of its file, one a key, in the order of keys.h: what is written, printed
// and compared is made of them.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/deploy/config.h"

namespace sotto::apps {

struct ConfigLine {
  std::string table;
  std::string key;
  std::string value;  // as TOML writes it
};

// [run], [link] and [trust]: what all roles have alike. Optional keys that are not set have no line.
[[nodiscard]] std::vector<ConfigLine> run_lines(const RunConfig& run);

// All tables.
[[nodiscard]] std::vector<ConfigLine> config_lines(const RoleConfig& config);

}  // namespace sotto::apps
