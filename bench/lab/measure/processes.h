// Processes that measure together: forks of this process, which run one function each.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/system/descriptor.h"

namespace sotto::apps::lab {

struct MeasuringProcess {
  std::string name;
  std::function<std::vector<double>()> body;
};

// The calling process must have only one thread. If one process fails, all others are killed, and the thrown Error
// names the process.
[[nodiscard]] std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                                             const std::atomic<bool>& interrupted);

[[nodiscard]] std::pair<Descriptor, Descriptor> loopback_pair();

// A connection between every two processes, which inherit the sockets.
class LoopbackMesh {
 public:
  explicit LoopbackMesh(std::size_t nodes);
  [[nodiscard]] int socket(std::size_t self, std::size_t peer) const { return sockets_[self * nodes_ + peer].get(); }

 private:
  std::size_t nodes_;
  std::vector<Descriptor> sockets_;
};

}  // namespace sotto::apps::lab
