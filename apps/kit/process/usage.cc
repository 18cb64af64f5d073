#include "apps/kit/process/usage.h"

#include <ctime>
#include <fstream>
#include <string>

namespace sotto::apps {

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::uint64_t kibibytes = 0;
    if (name == "VmHWM:" && status >> kibibytes) return 1024 * kibibytes;
    std::getline(status, name);
  }
  return 0;
}

}  // namespace sotto::apps
