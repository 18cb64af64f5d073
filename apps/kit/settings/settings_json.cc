#include "sotto/apps/kit/settings/settings_json.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/settings/role_settings.h"

namespace sotto::apps {

nlohmann::json settings_json(const Settings& settings) {
  nlohmann::json object = nlohmann::json::object();
  for (const ConfigLine& line : config_lines(settings)) {
    // Numbers, quoted texts, true and false are the same in TOML and in JSON.
    if (line.setting->table == "run" && !line.setting->of_owner) {
      object[line.setting->name] = nlohmann::json::parse(line.value);
    }
  }
  return object;
}

}  // namespace sotto::apps
