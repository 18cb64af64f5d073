// options.json, which is kept beside the state of a run: its options or InputError. What is read is written to a file
// of the same options.
#include <string_view>

#include "sotto/apps/bandit/saved_run.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  // The files that it names are read: not those that wait for somebody.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (count(text, "/dev/") != count(text, "/dev/null") || count(text, "/proc/") > 0) return 0;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::BanditOptions options = apps::read_saved_run(file.path());
    static const std::filesystem::path folder = fuzz::temporary_folder();
    apps::save_run(folder / "options.json", options);
    const apps::BanditOptions again = apps::read_saved_run(folder / "options.json");
    fuzz::require(again.parties == options.parties && again.environment == options.environment &&
                      again.compare_plaintext == options.compare_plaintext,
                  "options that are written read back");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
