#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include "apps/kit/files/input_file.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/kit/program/number_options.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::size_t longest_of_proc = 4096;

// The number at `place` (from 0) of a line of numbers between blanks; 0 where there is none.
double number_at(std::string_view text, std::size_t place) {
  for (; place > 0; --place) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return 0.0;
    text.remove_prefix(blank + 1);
  }
  return number_of<double>(text.substr(0, text.find_first_of(" \n"))).value_or(0.0);
}

std::string of_proc(const char* file) {
  try {
    return read_file(file, longest_of_proc);
  } catch (const InputError&) {
    return {};  // no /proc here
  }
}

// Seconds from 1970 to the start of the process, which /proc counts from the start of the machine.
double start_time() {
  constexpr std::size_t place_of_start = 19;  // after the name, which ends with the last ')'
  const std::string stat = of_proc("/proc/self/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return 0.0;
  const double ticks = number_at(std::string_view(stat).substr(name_end + 2), place_of_start);
  const std::string up = of_proc("/proc/uptime");
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return now - number_at(up, 0) + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator folder("/proc/self/fd", error);
  if (error) return 0.0;
  return static_cast<double>(std::distance(begin(folder), end(folder)));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

void add_process_metrics(Metrics& metrics) {
  Counter& cpu = metrics.counter("process_cpu_seconds_total", "Time on a CPU, of the user and of the system.");
  Gauge& open = metrics.gauge("process_open_fds", "Open file descriptors.");
  Gauge& most = metrics.gauge("process_max_fds", "Most open file descriptors.");
  Gauge& resident = metrics.gauge("process_resident_memory_bytes", "Memory that is resident.");
  Gauge& mapped = metrics.gauge("process_virtual_memory_bytes", "Memory that is mapped.");
  metrics.gauge("process_start_time_seconds", "Start of the process, since 1970.").set(start_time());
  metrics.before_text([&cpu, &open, &most, &resident, &mapped] {
    cpu.set(cpu_seconds());
    open.set(open_descriptors());
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    most.set(static_cast<double>(limit.rlim_cur));
    const std::string pages = of_proc("/proc/self/statm");
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    mapped.set(page * number_at(pages, 0));
    resident.set(page * number_at(pages, 1));
  });
}

}  // namespace sotto::apps
