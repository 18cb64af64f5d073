// Variables of the environment and --set flags, over a config that is sound: any text gives a config or an InputError.
//
// Input: lines; "!table.key=value" is a --set flag, "NAME=value" a variable.
#include <map>
#include <sstream>

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

constexpr const char* sound =
    "[run]\nsession = \"0123456789abcdef0123456789abcdef\"\nparties = 2\nsteps = 9\narms = 2\n"
    "insecure_plaintext = true\n[role]\nname = \"dealer\"\n[peers]\nparty_0 = \"127.0.0.1:7100\"\n"
    "party_1 = \"127.0.0.1:7101\"\ndealer = \"127.0.0.1:7102\"\n";

void overlay(const std::string& text) {
  try {
    std::istringstream lines(text);
    std::string line;
    std::map<std::string, std::string> variables;
    ConfigOverlay over;
    while (std::getline(lines, line)) {
      if (!line.empty() && line[0] == '!') {
        over.flags.push_back(setting_of_assignment(all_keys(), line.substr(1)));
      } else if (const std::size_t at = line.find('='); at != std::string::npos) {
        variables[line.substr(0, at)] = line.substr(at + 1);
      }
    }
    over.variables = settings_of_variables(all_keys(), variables);
    ConfigDocument document = parse_document(all_keys(), sound, "role.toml");
    lay_over(document, over);
    const EffectiveConfig effective = config_of(document);
    fuzz::require(!annotated_toml(effective).empty(), "a config can be printed");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::apps::overlay(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
