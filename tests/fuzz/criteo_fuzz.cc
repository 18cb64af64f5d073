// A Criteo log: surveyed and streamed as the rows that it holds, or InputError.
#include <atomic>

#include "sotto/apps/kit/data/criteo_items.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  const std::atomic<bool> not_interrupted{false};
  try {
    const apps::CriteoItems items =
        apps::survey_criteo(file.path(), {4, UINT64_MAX}, not_interrupted);
    fuzz::require(items.items.size() >= 2 && items.items.size() <= 4, "two to four arms");
    apps::CriteoUser ones;
    ones.fill(1);
    apps::CriteoEvents events(file.path(), items, ones);
    std::uint64_t streamed = 0;
    while (const auto event = events.next()) {
      ++streamed;
      fuzz::require(event->arm < items.items.size(), "an arm of the survey");
      for (const double u : event->user) fuzz::require(u >= 0 && u <= 1, "scaled to [0, 1]");
    }
    fuzz::require(streamed == items.kept, "all kept rows are streamed");
  } catch (const InputError&) {
    // Most inputs are none.
  }
  return 0;
}
