#pragma once

#include "apps/robin/instance.h"
#include "tests/apps/support.h"

namespace sotto::apps::robin {

struct SimulatedRun {
  explicit SimulatedRun(const RobinSettings& given)
      : instance(simulated_instance(given)), settings(resolved(given, *instance)) {}
  std::shared_ptr<const RobinInstance> instance;
  RobinSettings settings;
};

// Returns a reader of one client's contexts from step `step` on. A group of steps is valid until its reader is
// destroyed.
inline std::unique_ptr<StepReader> reader_at(const RobinInstance& instance, std::uint64_t client, std::uint64_t step) {
  auto reader = instance.reader();
  reader->seek(client, step);
  return reader;
}

}  // namespace sotto::apps::robin
