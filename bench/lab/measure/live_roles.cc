#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <random>
#include <utility>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/http/client.h"
#include "apps/kit/program/option_values.h"
#include "apps/live/serve/served_role.h"
#include "bench/lab/measure/live.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

constexpr std::chrono::seconds ready_within{60};
constexpr std::chrono::seconds end_within{10};
constexpr std::chrono::milliseconds between_looks_at_roles{20};
constexpr std::uint64_t most_learned_events = 10'000'000;

// A free port for a config, which must name the port before the role listens on it. The port is probably still free
// when the role listens, because the system seldom gives another program a port that was just released.
std::string port_for_interface() { return net::TcpListener(net::Address{"127.0.0.1", 0}).address().text(); }

std::string columns_csv(std::size_t columns) {
  std::string text = "name,low,high,default\n";
  for (std::size_t i = 0; i < columns; ++i) text += fmt::format("column-{},-1,1,0\n", i);
  return text;
}

constexpr std::chrono::seconds answer_of_role_within{60};
constexpr std::chrono::milliseconds look_at_answers{1};
constexpr std::chrono::milliseconds between_rewards{100};
constexpr std::uint64_t lines_of_push = 1000;
constexpr std::uint64_t rewarded_one_in = 3;
constexpr const char* lines_media = "application/x-ndjson";

// Each row has norm at most 1/sqrt(parties).
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

// Each event belongs to a different person, so that the party must count events of many people.
std::string features_of(const RandomRows& rows, std::string_view prefix, std::uint64_t begin, std::uint64_t end) {
  std::string body;
  for (std::uint64_t i = begin; i < end; ++i) {
    body += fmt::format("{{\"event\":\"{}\",\"schema\":1,\"x\":[{}],\"subject\":\"c{}\"}}\n", event_id(prefix, i),
                        rows.of(i), i);
  }
  return body;
}

void check_stored(const std::string& role, const HttpResult& answer, std::uint64_t lines) {
  std::uint64_t stored = 0;
  constexpr std::string_view mark = "\"status\":204";
  for (std::size_t at = answer.body.find(mark); at != std::string::npos; at = answer.body.find(mark, at + 1)) ++stored;
  if (answer.failure.empty() && answer.status == 200 && stored == lines) return;
  const std::string why = !answer.failure.empty() ? answer.failure : fmt::format("status {}", answer.status);
  throw Error(ExitCode::internal,
              fmt::format("{} of the measured service took {} of {} lines ({})", role, stored, lines, why));
}

class LiveClient {
 public:
  LiveClient(const LiveRoles& roles, const std::string& role, const std::atomic<bool>& interrupted);
  [[nodiscard]] HttpResult call(const std::string& method, const std::string& path, const std::string& type = "",
                                std::string body = "");

 private:
  net::Io io_;
  HttpClient client_;
  std::string authorization_;
  const std::atomic<bool>& interrupted_;
};

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

}  // namespace

LiveRoles::LiveRoles(const LiveTrial& trial, const std::atomic<bool>& interrupted)
    : columns_(bandit::run::even_columns(trial.parties, trial.features)), token_(fresh_session()) {
  const LiveConfig base = base_config(trial);
  base.check_plan();
  for (LiveConfig& config : local_service(base, folder_.path())) {
    roles_.push_back(config.role_key());
    start(std::move(config));
  }
  wait_until_ready(interrupted);
}

LiveRoles::~LiveRoles() {
  for (const auto& process : processes_) process->signal(SIGTERM);
  const auto end = std::chrono::steady_clock::now() + end_within;
  const auto runs = [](const auto& process) {
    process->poll();
    return !process->ended();
  };
  while (std::any_of(processes_.begin(), processes_.end(), runs) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(between_looks_at_roles);
  }
}

LiveConfig LiveRoles::base_config(const LiveTrial& trial) {
  LiveConfig base;
  base.session = fresh_session();
  base.parties = trial.parties;
  base.steps = most_learned_events;
  base.live.arms.reserve(trial.arms);
  for (std::size_t arm = 0; arm < trial.arms; ++arm) base.live.arms.push_back(fmt::format("arm-{}", arm));
  base.live.baseline_arm = 0;
  base.live.batch_sizes = trial.batch_sizes;
  base.live.reward_wait = trial.reward_wait;
  base.live.decision_deadline = trial.decision_deadline;
  base.link = trial.link;
  for (const std::string& role : listening_roles(base)) {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    base.peers[role] = listener.address().text();
    ports_.emplace(role, Descriptor(listener.release()));
  }
  return base;
}

void LiveRoles::start(LiveConfig config) {
  const std::string role = config.role_key();
  if (config.role() == BanditRole::party) {
    config.columns = folder_.path() / (role + "-columns.csv");
    write_file(config.columns, columns_csv(columns_.at(config.id)));
  }
  if (config.role() == BanditRole::actor) {
    config.http_listen = port_for_interface();
    config.http_token_file = folder_.path() / "token";
    (void)make_private_file(config.http_token_file);
    write_file(config.http_token_file, token_ + "\n");
    ::chmod(config.http_token_file.c_str(), S_IRUSR | S_IWUSR);
  }
  interfaces_.emplace(role, parse_listen(config.http_listen, "http.listen"));
  const std::filesystem::path file = folder_.path() / (role + ".toml");
  write_file(file, to_toml(config));
  std::vector<std::string> arguments = config.command();
  arguments.insert(arguments.end(), {"--config", file.string(), "--ignore-variables"});
  std::vector<int> descriptors;
  const Descriptor port = std::move(ports_[role]);
  if (port.get() >= 0) {
    descriptors.push_back(port.get());
    arguments.insert(arguments.end(), {"--listen-descriptor", std::to_string(port.get())});
  }
  processes_.push_back(std::make_unique<ChildProcess>(config.name(), "/proc/self/exe", arguments, descriptors));
}

std::string LiveRoles::authorization(const std::string& role) const {
  return role == "actor" ? fmt::format("Authorization: Bearer {}\r\n", token_) : "";
}

void LiveRoles::check() {
  for (const auto& process : processes_) {
    process->poll();
    if (!process->ended()) continue;
    throw Error(ExitCode::internal, fmt::format("{} of the measured service has ended: {}", process->name(),
                                                process->message().empty() ? "no message" : process->message()));
  }
}

void LiveRoles::wait_until_ready(const std::atomic<bool>& interrupted) {
  const auto end = std::chrono::steady_clock::now() + ready_within;
  for (const std::string& role : roles_) {
    LiveClient client(*this, role, interrupted);
    for (;;) {
      check();
      const HttpResult answer = client.call("GET", "/readyz");
      if (answer.failure.empty() && answer.status == 200) break;
      if (std::chrono::steady_clock::now() > end) {
        throw Error(ExitCode::internal, fmt::format("{} of the measured service is not ready within a minute: {}", role,
                                                    answer.failure.empty() ? answer.body : answer.failure));
      }
      std::this_thread::sleep_for(between_looks_at_roles);
    }
  }
}

std::string event_id(std::string_view prefix, std::uint64_t i) { return fmt::format("{}{:016}", prefix, i); }

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
    if (const auto value = sotto::number_of<double>(line.substr(blank + 1)))
      metrics.emplace(line.substr(0, blank), *value);
  }
  return metrics;
}

}  // namespace sotto::apps::lab
