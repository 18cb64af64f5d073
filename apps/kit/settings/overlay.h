// What stands above the file of a config: variables of the environment, and above them flags.
//
// A text of a variable or a flag is taken as the kind of its key (setting.h) wants it: a text or a path as it is,
// without quotes; a whole number, a number or true/false as TOML writes them. What is not of that kind is kept as a
// text, so that the one reader refuses it and names its origin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sotto/apps/kit/settings/document.h"
#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

// A value that is to replace the file's.
struct GivenSetting {
  Setting key;
  ConfigValue value;
};

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

}  // namespace sotto::apps
