// The TOML config of a role: a config or InputError. What is read can be written and read again.
#include "sotto/apps/kit/deploy/config.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::RoleConfig config = apps::read_role_config(file.path());
    const std::string text = apps::to_toml(config);
    const fuzz::MemoryFile written(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const apps::RoleConfig again = apps::read_role_config(written.path());
    fuzz::require(again.run.canonical_text() == config.run.canonical_text(),
                  "a config that is written reads back as the same run");
    fuzz::require(again.name() == config.name(), "and as the same role");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
