// Flags in the text of a message, for whoever has no such flag: a role with a config, a caller of Python.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sotto::apps {

// The text with each "--flag" as `spell` says it. What stands in `backticks` is a command to type, and stays.
[[nodiscard]] std::string respell_flags(std::string_view text,
                                        const std::function<std::string(const std::string& flag)>& spell);
// Those that have a name there; the others stay.
[[nodiscard]] std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names);

}  // namespace sotto::apps
