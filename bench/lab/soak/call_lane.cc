#include "bench/lab/soak/soak_ledger.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "apps/kit/files/json.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds before_again{50};
constexpr std::chrono::seconds longest_answer_time{60};
constexpr unsigned later = 503;

bool is_no_answer(const json& line) {
  const auto status = line.find("status");
  if (status == line.end()) return true;
  if (status->is_number()) return *status == later;
  return *status == "pending";
}

std::vector<json> lines_in(const std::string& body) {
  std::vector<json> lines;
  for (std::size_t begin = 0; begin < body.size();) {
    std::size_t end = body.find('\n', begin);
    if (end == std::string::npos) end = body.size();
    lines.push_back(json::parse(std::string_view(body).substr(begin, end - begin), nullptr, false));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

CallLane::CallLane(net::Io& io, const ListenAt& role, Path path, Write write, OnAnswer on_answer)
    : path_(std::move(path)),
      write_(std::move(write)),
      on_answer_(std::move(on_answer)),
      busy_(path_.connections, false) {
  HttpClientConfig config;
  config.service = role;
  for (std::size_t i = 0; i < path_.connections; ++i) clients_.push_back(std::make_unique<HttpClient>(io, config));
}

void CallLane::put(const SoakCall& call, net::Clock::time_point due) { waiting_.emplace(due, call); }

void CallLane::repeat(const SoakCall& call) {
  ++again_;
  put(call, net::Clock::now() + before_again);
}

void CallLane::proceed() {
  for (std::size_t connection = 0; connection < clients_.size(); ++connection) {
    const auto now = net::Clock::now();
    if (busy_[connection]) continue;
    std::vector<SoakCall> calls;
    while (!waiting_.empty() && waiting_.begin()->first <= now && calls.size() < path_.most) {
      calls.push_back(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    if (calls.empty()) return;
    send(connection, std::move(calls));
  }
}

void CallLane::send(std::size_t connection, std::vector<SoakCall> calls) {
  busy_[connection] = true;
  on_their_way_ += calls.size();
  std::string path = path_.path;
  std::string body;
  std::string headers;
  if (path_.most == 1) {
    path.replace(path.find("{}"), 2, write_(calls.front()));
  } else {
    for (const SoakCall& call : calls) body += write_(call) + '\n';
    headers = "Content-Type: application/x-ndjson\r\n";
  }
  clients_[connection]->ask("POST", path, headers, std::move(body), net::Clock::now() + longest_answer_time,
                            [this, connection, calls = std::move(calls)](HttpResult&& result) {
                              busy_[connection] = false;
                              on_their_way_ -= calls.size();
                              take(calls, result);
                            });
}

void CallLane::take(const std::vector<SoakCall>& calls, const HttpResult& result) {
  if (result.failure == "it has not answered in time") ++silent_;
  const bool is_answer = result.failure.empty() && result.status != later;
  if (is_answer && path_.most > 1 && result.status != 200) {
    throw Error(ExitCode::internal, fmt::format("{} is answered {}: {}", path_.path, result.status, result.body));
  }
  std::vector<json> lines;
  if (is_answer && path_.most == 1) lines.push_back(json{{"status", result.status}});
  if (is_answer && path_.most > 1) lines = lines_in(result.body);
  if (is_answer && lines.size() != calls.size()) {
    throw Error(ExitCode::internal,
                fmt::format("{} is answered {} lines instead of {}", path_.path, lines.size(), calls.size()));
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!is_answer || is_no_answer(lines[i])) {
      repeat(calls[i]);
      continue;
    }
    ++answered_;
    on_answer_(calls[i], lines[i]);
  }
}

}  // namespace sotto::apps::lab
