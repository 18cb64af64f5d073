#include "apps/kit/metrics/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include "apps/kit/files/input_file.h"
#include "apps/kit/program/option_values.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Prometheus reserves colons for recording rules.
bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string escaped(std::string_view text, bool in_quotes) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '"' && in_quotes) {
      result += "\\\"";
    } else {
      result += c;
    }
  }
  return result;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string labels_text(const std::vector<std::string>& names, const std::vector<std::string>& values,
                        const std::string& bound = "") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", names[i], escaped(values[i], true));
  }
  if (!bound.empty()) text += fmt::format("{}le=\"{}\"", text.empty() ? "" : ",", bound);
  return text.empty() ? text : "{" + text + "}";
}

void write_histogram(std::string& out, const std::string& name, const std::vector<std::string>& names,
                     const std::vector<std::string>& values, const Histogram& histogram) {
  const std::vector<std::uint64_t> counts = histogram.counts();
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    below += counts[i];
    const std::string bound = i < histogram.bounds().size() ? number_text(histogram.bounds()[i]) : "+Inf";
    out += fmt::format("{}_bucket{} {}\n", name, labels_text(names, values, bound), below);
  }
  const std::string labels = labels_text(names, values);
  out += fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, labels, number_text(histogram.sum()), name, labels, below);
}

constexpr std::size_t longest_of_proc = 4096;

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
    return {};  // no /proc
  }
}

// /proc gives the start of the process relative to the start of the machine.
double start_time() {
  constexpr std::size_t place_of_start = 19;
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

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {
  const bool rise = std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) == bounds_.end();
  const bool finite = std::all_of(bounds_.begin(), bounds_.end(), [](double bound) { return std::isfinite(bound); });
  require_argument(rise && finite, "the bounds of a histogram rise and are finite");
}

void Histogram::observe(double value) noexcept {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::vector<std::uint64_t> Histogram::counts() const {
  std::vector<std::uint64_t> counts;
  counts.reserve(counts_.size());
  for (const auto& count : counts_) counts.push_back(count.load(std::memory_order_relaxed));
  return counts;
}

std::vector<double> seconds_bounds() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

Metrics::Series& Metrics::series(Kind kind, const std::string& name, const std::string& help, const Labels& labels) {
  require_argument(is_name(name) && !help.empty(), "a metric has a name of letters, digits and '_', and a help text");
  std::vector<std::string> names;
  std::vector<std::string> values;
  names.reserve(labels.size());
  values.reserve(labels.size());
  for (const auto& [label, value] : labels) {
    const bool own = label.starts_with("__") || label == "le" || label == "quantile";
    require_argument(is_name(label) && !own, "a label has a name of letters, digits and '_'");
    names.push_back(label);
    values.push_back(value);
  }
  auto [found, made] = families_.try_emplace(name, Family{kind, help, names, {}});
  Family& family = found->second;
  require_argument(family.kind == kind && family.label_names == names, "a metric has one kind and the same labels");
  require_argument(family.series.size() < most_series || family.series.contains(values),
                   "a metric has too many series");
  return family.series[values];
}

Counter& Metrics::counter(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  require_argument(name.ends_with("_total"), "the name of a counter ends with _total");
  Series& found = series(Kind::counter, name, help, labels);
  if (!found.counter) found.counter = std::make_unique<Counter>();
  return *found.counter;
}

Gauge& Metrics::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  require_argument(!name.ends_with("_total"), "the name of a counter alone ends with _total");
  Series& found = series(Kind::gauge, name, help, labels);
  if (!found.gauge) found.gauge = std::make_unique<Gauge>();
  return *found.gauge;
}

Histogram& Metrics::histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                              const Labels& labels) {
  const std::lock_guard lock(mutex_);
  Series& found = series(Kind::histogram, name, help, labels);
  if (!found.histogram) found.histogram = std::make_unique<Histogram>(bounds);
  require_argument(found.histogram->bounds() == bounds, "a histogram has the same bounds");
  return *found.histogram;
}

void Metrics::before_text(std::function<void()> refresh) {
  const std::lock_guard lock(mutex_);
  refresh_.push_back(std::move(refresh));
}

void Metrics::write(std::string& out, const std::string& name, const Family& family) {
  const char* const kind = family.kind == Kind::counter ? "counter"
                           : family.kind == Kind::gauge ? "gauge"
                                                        : "histogram";
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(family.help, false), name, kind);
  for (const auto& [values, series] : family.series) {
    if (series.histogram) {
      write_histogram(out, name, family.label_names, values, *series.histogram);
      continue;
    }
    const double value = series.counter ? series.counter->value() : series.gauge->value();
    out += fmt::format("{}{} {}\n", name, labels_text(family.label_names, values), number_text(value));
  }
}

std::string Metrics::text() const {
  std::vector<std::function<void()>> refresh;
  {
    const std::lock_guard lock(mutex_);
    refresh = refresh_;
  }
  // A refresh function may call counter(), which takes the lock.
  for (const auto& call : refresh) call();
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) write(out, name, family);
  return out;
}

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
