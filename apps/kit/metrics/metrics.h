// The metrics of a daemon in the format that Prometheus reads (text format 0.0.4).
//
// A family has a name, a help text, a kind, and one series for each set of values of its labels. Counters and gauges
// are numbers. A histogram counts the observations at or below each of its bounds. Any thread may change a series or
// ask for a series. A call of text() reads the series one after the other, while other threads may change them.
//
// No label ever holds private data or text that a client chooses. A family has at most most_series series.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::apps {

// A counter is a number that never falls.
class Counter {
 public:
  void add(double amount = 1.0) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  // Sets the counter to a total that other code counts. Only one thread at a time may call set(). If the total falls,
  // for example after an undo, the counter keeps its value until the total exceeds this value. The counter must not
  // fall, because Prometheus would take a lower value for a restart of the process.
  void set(double total) noexcept { value_.store(std::max(total, value()), std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0.0};
};

class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0.0};
};

class Histogram {
 public:
  // `bounds` must rise and be finite.
  explicit Histogram(std::vector<double> bounds);
  void observe(double value) noexcept;
  [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }
  // Entry i is the number of observations at or below bounds()[i] and above the previous bound. The last entry is the
  // number of observations above all bounds.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  [[nodiscard]] double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0.0};
};

// Bounds for a histogram of times, from 0.5 ms to 10 s.
[[nodiscard]] std::vector<double> seconds_bounds();

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  static constexpr std::size_t most_series = 1024;  // most series of one family

  // The functions below return the series with the given labels. The first call for a series makes it, and the series
  // keeps its address as long as this object exists. The first call for a family determines the help text of the
  // family. Throws std::invalid_argument for a name or label that is invalid in Prometheus, and for more than
  // most_series series. Also throws std::invalid_argument if the family already has another kind, other label names or
  // other bounds.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                       const Labels& labels = {});

  // Registers `refresh`, which text() calls at its start, for gauges whose values are read only when needed.
  void before_text(std::function<void()> refresh);
  // All metrics in the text format. Families are sorted by name, and the series of a family by the values of their
  // labels.
  [[nodiscard]] std::string text() const;

 private:
  enum class Kind : std::uint8_t { counter, gauge, histogram };
  struct Series {
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
  };
  struct Family {
    Kind kind;
    std::string help;
    std::vector<std::string> label_names;
    std::map<std::vector<std::string>, Series> series;
  };
  Series& series(Kind kind, const std::string& name, const std::string& help, const Labels& labels);
  static void write(std::string& out, const std::string& name, const Family& family);

  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
  std::vector<std::function<void()>> refresh_;
};

// Adds the metrics of the process: process_cpu_seconds_total, process_open_fds, process_max_fds,
// process_resident_memory_bytes, process_virtual_memory_bytes, process_start_time_seconds. Each call of text() reads
// these values from /proc.
void add_process_metrics(Metrics& metrics);

}  // namespace sotto::apps
