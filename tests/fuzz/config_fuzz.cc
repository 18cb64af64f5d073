// The TOML config of a role: a config or InputError. What is read can be written and read again.
#include "sotto/apps/commands.h"
#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const auto config = apps::read_effective_config(apps::all_keys(), file.path(), {}).config;
    const std::string text = apps::to_toml(*config);
    const fuzz::MemoryFile written(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const auto again = apps::read_effective_config(apps::all_keys(), written.path(), {}).config;
    fuzz::require(apps::agreed_text(*again) == apps::agreed_text(*config),
                  "a config that is written reads back as the same run");
    fuzz::require(again->name() == config->name(), "and as the same role");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
