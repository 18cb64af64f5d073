#include "bench/lab/measure/live.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::chrono::milliseconds between_looks_at_wrk{20};

// One thread makes all requests, so that events are requested in the order of their numbers.
constexpr std::string_view script_of_load = R"lua(
local threads = {}
local prefix, lines, pause = "%PREFIX%", %LINES%, %PAUSE%
local headers = { %HEADERS% }

function setup(thread) table.insert(threads, thread) end

function init()
  math.randomseed(1)
  asked, decided, baselines, failed = 0, 0, 0, 0
end

local function next_event()
  local event = string.format('{"event":"%s%016d"}', prefix, asked)
  asked = asked + 1
  return event
end

function request()
  if lines == 0 then return wrk.format("POST", "/v1/decisions", headers, next_event()) end
  local body = {}
  for i = 1, lines do body[i] = next_event() end
  return wrk.format("POST", "/v1/decisions:batch", headers, table.concat(body, "\n"))
end

function response(status, _, body)
  if status ~= 200 then
    failed = failed + 1
    return
  end
  local _, told = body:gsub('"status":"decided"', "")
  decided = decided + told
  local _, others = body:gsub('"status":"baseline"', "")
  baselines = baselines + others
end
%DELAY%
function done(summary, latency)
  local sums = { asked = 0, decided = 0, baselines = 0, failed = 0 }
  for _, thread in ipairs(threads) do
    for name, sum in pairs(sums) do sums[name] = sum + thread:get(name) end
  end
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local out = assert(io.open("%FIGURES%", "w"))
  out:write(string.format('{"seconds":%f,"requests":%d,"asked":%d,"decided":%d,"baselines":%d,"errors":%d,' ..
    '"p50_us":%f,"p99_us":%f,"longest_us":%f}', summary.duration / 1e6, summary.requests, sums.asked, sums.decided,
    sums.baselines, sums.failed + lost, latency:percentile(50), latency:percentile(99), latency.max))
  out:close()
end
)lua";

void replace(std::string& text, std::string_view word, std::string_view value) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
}

std::string lua_header(std::string_view line) {
  const std::size_t colon = line.find(": ");
  const std::size_t end = line.find("\r\n");
  if (colon == std::string_view::npos) return {};
  return fmt::format("[\"{}\"] = \"{}\"", line.substr(0, colon), line.substr(colon + 2, end - colon - 2));
}

}  // namespace

std::filesystem::path find_wrk() {
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    std::filesystem::path file = std::filesystem::path(folders.substr(0, end)) / "wrk";
    if (::access(file.c_str(), X_OK) == 0) return file;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  throw ResourceError("wrk, which drives the service, is not installed: run `apt-get install wrk`");
}

std::string wrk_script(const WrkLoad& load, const std::filesystem::path& figures) {
  std::string script(script_of_load);
  const char* const type = load.lines > 0 ? "application/x-ndjson" : "application/json";
  std::string headers = lua_header(fmt::format("Content-Type: {}\r\n", type));
  if (!load.authorization.empty()) headers += ", " + lua_header(load.authorization);
  replace(script, "%PREFIX%", load.prefix);
  replace(script, "%LINES%", std::to_string(load.lines));
  replace(script, "%PAUSE%", std::to_string(load.pause_ms));
  replace(script, "%HEADERS%", headers);
  // Without pauses, the script has no function delay(), because each call of delay() takes a turn of wrk's event loop.
  replace(script, "%DELAY%", load.pause_ms > 0 ? "\nfunction delay() return math.random(0, 2 * pause) end\n" : "");
  replace(script, "%FIGURES%", figures.string());
  return script;
}

WrkFigures read_wrk_figures(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    WrkFigures figures;
    figures.seconds = json.at("seconds").get<double>();
    figures.requests = json.at("requests").get<std::uint64_t>();
    figures.asked = json.at("asked").get<std::uint64_t>();
    figures.decided = json.at("decided").get<std::uint64_t>();
    figures.baselines = json.at("baselines").get<std::uint64_t>();
    figures.errors = json.at("errors").get<std::uint64_t>();
    figures.p50_ms = json.at("p50_us").get<double>() / 1000;
    figures.p99_ms = json.at("p99_us").get<double>() / 1000;
    figures.longest_ms = json.at("longest_us").get<double>() / 1000;
    return figures;
  } catch (const nlohmann::json::exception&) {
    throw Error(ExitCode::internal, "wrk has written no figures: it is another version than 4.1, or was killed");
  }
}

WrkFigures run_wrk(const WrkLoad& load, const std::filesystem::path& folder, const std::function<void()>& look,
                   const std::atomic<bool>& interrupted) {
  const std::filesystem::path script = folder / "load.lua";
  const std::filesystem::path figures = folder / "load.json";
  std::filesystem::remove(figures);
  write_file(script, wrk_script(load, figures));
  ChildProcess wrk("wrk", find_wrk(),
                   {"--threads", "1", "--connections", std::to_string(load.connections), "--duration",
                    fmt::format("{}s", load.seconds), "--timeout", "60s", "--script", script.string(), load.url},
                   {});
  while (!wrk.poll()) {
    if (interrupted) throw Interrupted();
    look();
    std::this_thread::sleep_for(between_looks_at_wrk);
  }
  std::ifstream in(figures);
  return read_wrk_figures({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

}  // namespace sotto::apps::lab
