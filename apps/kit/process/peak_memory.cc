#include "sotto/apps/kit/process/peak_memory.h"

#include <fstream>
#include <string>

namespace sotto::apps {

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
