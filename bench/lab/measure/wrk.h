// wrk (Debian's package of that name) as the load of a measured service: a generator of HTTP requests that shares no
// code with it. A script in Lua makes the requests, counts what the answers say, and writes the figures down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace sotto::apps::lab {

struct WrkLoad {
  std::string url;            // of the service: "http://127.0.0.1:8080"
  std::string authorization;  // a header line, or nothing
  std::string prefix;         // of the ids of events, live_client.h
  std::size_t connections = 1;
  std::size_t lines = 0;     // events of a request to /v1/decisions:batch; 0: single decisions
  std::size_t pause_ms = 0;  // a connection waits up to twice as long before a request, at random
  std::uint64_t seconds = 10;
};

struct WrkFigures {
  double seconds = 0;
  std::uint64_t requests = 0;  // that were answered
  std::uint64_t asked = 0;     // events of requests that were made
  std::uint64_t decided = 0;   // events by what their answers say
  std::uint64_t baselines = 0;
  std::uint64_t errors = 0;  // requests that failed or had another status than 200
  double p50_ms = 0;         // of a request
  double p99_ms = 0;
  double longest_ms = 0;
};

// Where wrk is. Throws ResourceError, with how to install it, where it is not in PATH.
[[nodiscard]] std::filesystem::path find_wrk();

// Runs it to its end; `look` is called many times a second. The script and what it writes are put into `folder`. Throws
// Error where it fails, Interrupted.
[[nodiscard]] WrkFigures run_wrk(const WrkLoad& load, const std::filesystem::path& folder,
                                 const std::function<void()>& look, const std::atomic<bool>& interrupted);

// The script, and what the figures that it writes mean.
[[nodiscard]] std::string wrk_script(const WrkLoad& load, const std::filesystem::path& figures);
// Throws Error where the text has not the figures.
[[nodiscard]] WrkFigures read_wrk_figures(const std::string& text);

}  // namespace sotto::apps::lab
