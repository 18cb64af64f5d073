// The metrics of a daemon in the text format 0.0.4 of Prometheus.
//
// Any thread may change a metric, and may call counter(), gauge() and histogram().
//
// No label ever holds private data or text that a client chooses.
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

class Counter {
 public:
  void add(double amount = 1.0) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  // Only one thread at a time may call set(). The counter never falls, because Prometheus would take a lower value for
  // a restart.
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
  // Entry i counts the observations at or below bounds()[i] and above the previous bound. The last entry counts the
  // observations above all bounds.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  [[nodiscard]] double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0.0};
};

// The bounds are from 0.5 ms to 10 s.
[[nodiscard]] std::vector<double> seconds_bounds();

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  static constexpr std::size_t most_series = 1024;  // of one family

  // The returned references stay valid as long as this object exists. These functions throw std::invalid_argument for a
  // name or label that is invalid in Prometheus, for too many series, and for a different declaration of the same
  // family.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                       const Labels& labels = {});

  // Each call of text() first calls `refresh`.
  void before_text(std::function<void()> refresh);
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

// Adds metrics of this process, which come from /proc.
void add_process_metrics(Metrics& metrics);

}  // namespace sotto::apps
