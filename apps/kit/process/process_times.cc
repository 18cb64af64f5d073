#include "sotto/apps/kit/process/process_times.h"

#include <ctime>

namespace sotto::apps {

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace sotto::apps
