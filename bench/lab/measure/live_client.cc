#include "bench/lab/measure/live_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/program/option_values.h"
#include "bench/lab/measure/live_roles.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::chrono::seconds answer_of_role_within{60};
constexpr std::chrono::milliseconds look_at_answers{1};
constexpr std::chrono::milliseconds between_rewards{100};
constexpr std::uint64_t lines_of_push = 1000;
constexpr std::uint64_t rewarded_one_in = 3;
constexpr const char* lines_media = "application/x-ndjson";

// The row of an event, of norm 1/sqrt(parties) at most.
class RandomRows {
 public:
  RandomRows(std::size_t columns, std::size_t parties) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::string& row : rows_) {
      std::vector<double> values(columns);
      double squares = 0;
      for (double& value : values) {
        value = uniform(random);
        squares += value * value;
      }
      const double scale = 0.99 / std::sqrt(squares * static_cast<double>(parties));
      for (double& value : values) row += fmt::format("{}{:.6f}", row.empty() ? "" : ",", value * scale);
    }
  }
  [[nodiscard]] const std::string& of(std::uint64_t event) const { return rows_[event % rows_.size()]; }

 private:
  std::array<std::string, 256> rows_;
};

std::string features_of(const RandomRows& rows, std::string_view prefix, std::uint64_t begin, std::uint64_t end) {
  std::string body;
  for (std::uint64_t i = begin; i < end; ++i) {
    body += fmt::format("{{\"event\":\"{}\",\"schema\":1,\"x\":[{}]}}\n", event_id(prefix, i), rows.of(i));
  }
  return body;
}

// All lines were taken.
void check_stored(const std::string& role, const HttpResult& answer, std::uint64_t lines) {
  std::uint64_t stored = 0;
  constexpr std::string_view mark = "\"status\":204";
  for (std::size_t at = answer.body.find(mark); at != std::string::npos; at = answer.body.find(mark, at + 1)) ++stored;
  if (answer.failure.empty() && answer.status == 200 && stored == lines) return;
  const std::string why = !answer.failure.empty() ? answer.failure : fmt::format("status {}", answer.status);
  throw Error(ExitCode::internal,
              fmt::format("{} of the measured service took {} of {} lines ({})", role, stored, lines, why));
}

}  // namespace

std::string event_id(std::string_view prefix, std::uint64_t i) { return fmt::format("{}{:016}", prefix, i); }

LiveClient::LiveClient(const LiveRoles& roles, const std::string& role, const std::atomic<bool>& interrupted)
    : client_(io_, {roles.interface(role)}), authorization_(roles.authorization(role)), interrupted_(interrupted) {}

HttpResult LiveClient::call(const std::string& method, const std::string& path, const std::string& type,
                            std::string body) {
  std::optional<HttpResult> answer;
  std::string headers = authorization_;
  if (!type.empty()) headers += fmt::format("Content-Type: {}\r\n", type);
  client_.ask(method, path, headers, std::move(body), net::Clock::now() + answer_of_role_within,
              [&](HttpResult&& come) { answer = std::move(come); });
  while (!answer) {
    if (interrupted_) throw Interrupted();
    io_.run_for(look_at_answers);
  }
  return *std::move(answer);
}

void push_features(const LiveRoles& roles, std::string_view prefix, std::uint64_t events,
                   const std::atomic<bool>& interrupted) {
  net::Io io;
  const std::vector<std::size_t>& columns = roles.columns();
  std::vector<RandomRows> rows;
  std::vector<std::unique_ptr<HttpClient>> clients;
  rows.reserve(columns.size());
  clients.reserve(columns.size());
  for (std::size_t party = 0; party < columns.size(); ++party) {
    rows.emplace_back(columns[party], columns.size());
    clients.push_back(
        std::make_unique<HttpClient>(io, HttpClientConfig{roles.interface(fmt::format("party_{}", party))}));
  }
  for (std::uint64_t begin = 0; begin < events; begin += lines_of_push) {
    const std::uint64_t end = std::min(events, begin + lines_of_push);
    std::vector<std::optional<HttpResult>> answers(columns.size());
    for (std::size_t party = 0; party < columns.size(); ++party) {
      clients[party]->ask("POST", "/v1/features:batch", fmt::format("Content-Type: {}\r\n", lines_media),
                          features_of(rows[party], prefix, begin, end), net::Clock::now() + answer_of_role_within,
                          [&answers, party](HttpResult&& come) { answers[party] = std::move(come); });
    }
    const auto waits = [](const auto& answer) { return !answer.has_value(); };
    while (std::any_of(answers.begin(), answers.end(), waits)) {
      if (interrupted) throw Interrupted();
      io.run_for(look_at_answers);
    }
    for (std::size_t party = 0; party < columns.size(); ++party) {
      check_stored(fmt::format("party {}", party), *answers[party], end - begin);
    }
  }
}

LateRewards::LateRewards(const LiveRoles& roles, std::string prefix, const std::atomic<bool>& interrupted)
    : prefix_(std::move(prefix)), interrupted_(interrupted), thread_([this, &roles] {
        try {
          run(roles);
        } catch (...) {
          failed_ = std::current_exception();
        }
      }) {}

LateRewards::~LateRewards() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

std::uint64_t LateRewards::stop() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
  if (failed_) std::rethrow_exception(failed_);
  return posted_;
}

void LateRewards::run(const LiveRoles& roles) {
  LiveClient actor(roles, "actor", interrupted_);
  LiveClient rewarder(roles, "rewarder", interrupted_);
  std::uint64_t next = 0;
  while (!stopped_) {
    const HttpResult privacy = actor.call("GET", "/v1/privacy");
    std::uint64_t decided = next;
    if (privacy.status == 200) decided = nlohmann::json::parse(privacy.body).at("decisions").get<std::uint64_t>();
    while (next < decided && !stopped_) {
      const std::uint64_t end = std::min(decided, next + lines_of_push * rewarded_one_in);
      std::string body;
      std::uint64_t lines = 0;
      for (std::uint64_t i = next; i < end; ++i) {
        if (i % rewarded_one_in != 0) continue;
        body += fmt::format("{{\"event\":\"{}\",\"value\":{}}}\n", event_id(prefix_, i), i / rewarded_one_in % 2);
        ++lines;
      }
      if (lines > 0) check_stored("the rewarder", rewarder.call("POST", "/v1/rewards:batch", lines_media, body), lines);
      posted_ += lines;
      next = end;
    }
    std::this_thread::sleep_for(between_rewards);
  }
}

std::map<std::string, double> metrics_of(const LiveRoles& roles, const std::string& role,
                                         const std::atomic<bool>& interrupted) {
  const HttpResult answer = LiveClient(roles, role, interrupted).call("GET", "/metrics");
  std::map<std::string, double> metrics;
  std::string_view text = answer.body;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t blank = line.rfind(' ');
    if (line.starts_with('#') || blank == std::string_view::npos) continue;
    if (const auto value = number_of<double>(line.substr(blank + 1))) metrics.emplace(line.substr(0, blank), *value);
  }
  return metrics;
}

}  // namespace sotto::apps::lab
