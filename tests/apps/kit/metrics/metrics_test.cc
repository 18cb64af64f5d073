#include "apps/kit/metrics/metrics.h"

#include <cstdlib>

#include "apps/kit/files/output_file.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, AreWrittenAsPrometheusReadsThem) {
  Metrics metrics;
  metrics.counter("sotto_a_total", "Things\nwith \\ lines.", {{"kind", "x\"y\\z\n"}}).add(2);
  metrics.counter("sotto_a_total", "Things\nwith \\ lines.", {{"kind", "b"}}).add();
  metrics.gauge("sotto_g", "A gauge.").set(-0.5);
  Histogram& histogram = metrics.histogram("sotto_s_seconds", "Times.", {0.1, 1}, {{"path", "/"}});
  for (const double seconds : {0.05, 0.1, 0.5, 7.0}) histogram.observe(seconds);
  EXPECT_EQ(metrics.text(),
            "# HELP sotto_a_total Things\\nwith \\\\ lines.\n"
            "# TYPE sotto_a_total counter\n"
            "sotto_a_total{kind=\"b\"} 1\n"
            "sotto_a_total{kind=\"x\\\"y\\\\z\\n\"} 2\n"
            "# HELP sotto_g A gauge.\n"
            "# TYPE sotto_g gauge\n"
            "sotto_g -0.5\n"
            "# HELP sotto_s_seconds Times.\n"
            "# TYPE sotto_s_seconds histogram\n"
            "sotto_s_seconds_bucket{path=\"/\",le=\"0.1\"} 2\n"
            "sotto_s_seconds_bucket{path=\"/\",le=\"1\"} 3\n"
            "sotto_s_seconds_bucket{path=\"/\",le=\"+Inf\"} 4\n"
            "sotto_s_seconds_sum{path=\"/\"} 7.65\n"
            "sotto_s_seconds_count{path=\"/\"} 4\n");
}

TEST(Metrics, GiveTheSameSeriesAgain) {
  Metrics metrics;
  Counter& first = metrics.counter("a_total", "A.", {{"x", "1"}});
  first.add();
  EXPECT_EQ(&metrics.counter("a_total", "A.", {{"x", "1"}}), &first);
  EXPECT_NE(&metrics.counter("a_total", "A.", {{"x", "2"}}), &first);
}

TEST(Metrics, RefuseWhatPrometheusWould) {
  Metrics metrics;
  metrics.counter("a_total", "A.", {{"x", "1"}});
  metrics.histogram("h", "H.", {1, 2});
  for (const char* const name : {"", "1a_total", "a-b_total", "a:b_total", "a_count"}) {
    EXPECT_THROW(metrics.counter(name, "A."), std::invalid_argument) << name;
  }
  for (const char* const label : {"", "1", "a-b", "__a", "le", "quantile"}) {
    EXPECT_THROW(metrics.counter("b_total", "A.", {{label, "1"}}), std::invalid_argument) << label;
  }
  EXPECT_THROW(metrics.counter("c_total", ""), std::invalid_argument);
  EXPECT_THROW(metrics.gauge("a_total", "A."), std::invalid_argument);
  EXPECT_THROW(metrics.counter("a_total", "A.", {{"y", "1"}}), std::invalid_argument);
  EXPECT_THROW(metrics.gauge("h", "H."), std::invalid_argument);
  EXPECT_THROW(metrics.histogram("h", "H.", {1, 3}), std::invalid_argument);
  EXPECT_THROW(Histogram({2, 1}), std::invalid_argument);
}

TEST(Metrics, HaveABoundedNumberOfSeries) {
  Metrics metrics;
  for (std::size_t i = 0; i < Metrics::most_series; ++i) metrics.gauge("g", "G.", {{"i", std::to_string(i)}});
  EXPECT_THROW(metrics.gauge("g", "G.", {{"i", "more"}}), std::invalid_argument);
  EXPECT_NO_THROW(metrics.gauge("g", "G.", {{"i", "0"}}));
}

TEST(Metrics, CountFromManyThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5000; ++j) {
        metrics.counter("a_total", "A.").add();
        metrics.histogram("h", "H.", {0.5}).observe(j % 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.counter("a_total", "A.").value(), 20'000);
  EXPECT_EQ(metrics.histogram("h", "H.", {0.5}).counts(), (std::vector<std::uint64_t>{10'000, 10'000}));
}

double value_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  Metrics metrics;
  add_process_metrics(metrics);
  const std::string before = metrics.text();
  EXPECT_GT(value_of(before, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value_of(before, "process_virtual_memory_bytes"), value_of(before, "process_resident_memory_bytes"));
  EXPECT_GE(value_of(before, "process_cpu_seconds_total"), 0);
  EXPECT_GE(value_of(before, "process_max_fds"), value_of(before, "process_open_fds"));
  const std::ifstream one_more("/dev/null");
  EXPECT_EQ(value_of(metrics.text(), "process_open_fds"), value_of(before, "process_open_fds") + 1);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_GT(value_of(before, "process_start_time_seconds"), now - 3600);
  EXPECT_LE(value_of(before, "process_start_time_seconds"), now + 1);
}

TEST(ProcessMetrics, SatisfyPromtool) {
  if (std::system("command -v promtool > /dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
  Metrics metrics;
  add_process_metrics(metrics);
  metrics.counter("sotto_http_requests_total", "Requests.", {{"path", "/"}, {"code", "200"}}).add();
  metrics.histogram("sotto_http_seconds", "Times.", seconds_bounds(), {{"path", "/"}}).observe(0.1);
  const PrivateFolder folder;
  write_file(folder.path() / "metrics", metrics.text());
  EXPECT_EQ(std::system(("promtool check metrics < " + (folder.path() / "metrics").string()).c_str()), 0);
}

}  // namespace
}  // namespace sotto::apps
