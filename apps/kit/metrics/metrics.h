// What a daemon counts, as Prometheus reads it (text format 0.0.4).
//
// A family has a name, a help text, a kind, and one series for each set of values of its labels. Counters and gauges
// are numbers, histograms count observations at or below each of their bounds. Any thread may change a series, and ask
// for one; text() is a reading of each at its own moment.
//
// No label ever holds what is private, or what a client chooses: a family has at most most_series of them.
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

// Never falls.
class Counter {
 public:
  void add(double amount = 1.0) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  // For what is counted elsewhere, by one thread at a time. A total that falls there, as where something is undone,
  // waits here until it is passed: whoever reads the series would take a lower one for a process that began anew.
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
  // `bounds` rise, and are finite.
  explicit Histogram(std::vector<double> bounds);
  void observe(double value) noexcept;
  [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }
  // Of observations at or below bounds()[i] and above the one before; the last entry has those above all.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  [[nodiscard]] double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0.0};
};

// 0.5 ms to 10 s.
[[nodiscard]] std::vector<double> seconds_bounds();

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  static constexpr std::size_t most_series = 1024;  // of a family

  // The series of these labels, made when it is first asked for; it stays where it is as long as this. The help text is
  // that of the first call. Throws std::invalid_argument for a name or label that Prometheus does not know, for a
  // family of another kind, other label names or other bounds, and for one series too many.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                       const Labels& labels = {});

  // Called at the start of text(), for gauges of what is looked up then.
  void before_text(std::function<void()> refresh);
  // Families by name, series by the values of their labels.
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

// The process's own: process_cpu_seconds_total, process_open_fds, process_max_fds, process_resident_memory_bytes,
// process_virtual_memory_bytes, process_start_time_seconds. They are read from /proc by text().
void add_process_metrics(Metrics& metrics);

}  // namespace sotto::apps
