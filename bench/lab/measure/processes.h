// Processes that measure together: forks of this one, each of which runs one function and hands back numbers.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sotto::apps {

struct MeasuringProcess {
  std::string name;
  std::function<std::vector<double>()> body;
};

// Runs all of them at once and returns what each handed back. This process must have one thread. They are in process
// groups of their own, so that Ctrl-C reaches the parent alone, and die with it. When one throws or is killed the
// others are killed, and Error names it; Interrupted once `interrupted` is set. ResourceError where the system starts
// no more processes.
[[nodiscard]] std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                                             const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
