#include "bench/lab/soak/soak_service.h"

#include <fmt/format.h>

#include <csignal>
#include <thread>

#include "apps/kit/files/output_file.h"
#include "apps/live/rows/live_store.h"
#include "apps/live/serve/served_role.h"
#include "bench/lab/soak/soak_ledger.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

constexpr std::chrono::milliseconds look_every{10};
constexpr std::chrono::seconds longest_end{60};

// The ports are below the range from which the system chooses ports, so no program gets the port of a dead role.
std::string free_address(std::mt19937_64& random) {
  constexpr std::uint64_t first = 12'000;
  constexpr std::uint64_t ports = 20'000;
  for (int tries = 0; tries < 1000; ++tries) {
    try {
      const net::TcpListener listener(net::Address{"127.0.0.1", static_cast<std::uint16_t>(first + random() % ports)});
      return listener.address().text();
    } catch (const ResourceError&) {
      continue;
    }
  }
  throw ResourceError("no port of 127.0.0.1 from 12000 to 32000 is free: close other programs");
}

LiveConfig common_config(const SoakServiceSettings& settings) {
  LiveConfig config;
  config.session = fresh_session();
  config.parties = settings.parties;
  config.steps = settings.most_learned;
  for (std::size_t arm = 0; arm < settings.arms; ++arm) config.live.arms.push_back(fmt::format("arm-{}", arm));
  config.live.baseline_arm = 0;
  config.live.reward_wait = soak_reward_wait;
  config.live.decision_deadline = 4'000;
  config.live.cut_off = 5;
  config.round_deadline_seconds = 20;
  std::mt19937_64 random(std::random_device{}());
  config.peers["dealer"] = free_address(random);
  for (std::size_t party = 0; party < settings.parties; ++party) {
    config.peers[fmt::format("party_{}", party)] = free_address(random);
  }
  return config;
}

std::string columns_csv() {
  std::string text = "name,low,high,default\n";
  for (std::size_t column = 0; column < soak_columns; ++column) {
    text += fmt::format("x{},{},{},{}\n", column, -soak_largest, soak_largest, soak_default);
  }
  return text;
}

Error ended(const ChildProcess& process) {
  const std::string how = process.ended_by_signal() ? fmt::format("was ended by signal {}", *process.ended_by_signal())
                                                    : fmt::format("ended with code {}", *process.exit_code());
  return Error(ExitCode::internal, fmt::format("{} {}: {}", process.name(), how, process.message()));
}

}  // namespace

SoakService::SoakService(const SoakServiceSettings& settings) {
  const LiveConfig common = common_config(settings);
  write_file(folder_.path() / "columns.csv", columns_csv());
  for (LiveConfig& config : local_service(common, folder_.path())) {
    const std::string role = config.role_key();
    if (config.role() == BanditRole::party) config.columns = folder_.path() / "columns.csv";
    write_file(folder_.path() / (role + ".toml"), to_toml(config));
    roles_.push_back(role);
    configs_.emplace(role, std::move(config));
  }
  const std::vector<std::size_t> columns(settings.parties, soak_columns);
  plan_ = std::make_unique<const BatchPlan>(
      plan_batches(live_parameters(common, columns), common.live.largest_batch(), !common.live.default_reward));
  for (const std::string& role : roles_) start(role);
}

SoakService::~SoakService() = default;

ListenAt SoakService::address(const std::string& role) const {
  return parse_listen(configs_.at(role).interface_address(), role);
}

void SoakService::start(const std::string& role) {
  const std::string config = (folder_.path() / (role + ".toml")).string();
  const std::vector<std::string> words{"serve", "--config", config};
  processes_[role] = std::make_unique<ChildProcess>(role, "/proc/self/exe", words, std::vector<int>{});
}

void SoakService::kill(const std::string& role) { processes_.erase(role); }

void SoakService::look() {
  for (const auto& [role, process] : processes_) {
    if (process->poll()) throw ended(*process);
  }
}

void SoakService::end() {
  for (const auto& [role, process] : processes_) process->signal(SIGTERM);
  const auto latest = std::chrono::steady_clock::now() + longest_end;
  for (const auto& [role, process] : processes_) {
    while (!process->ended()) {
      (void)process->poll();
      if (std::chrono::steady_clock::now() > latest) {
        throw Error(ExitCode::internal, fmt::format("{} has not ended in a minute", role));
      }
      std::this_thread::sleep_for(look_every);
    }
    if (!process->succeeded()) throw ended(*process);
  }
  processes_.clear();
}

ModelWords SoakService::model() const {
  const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& words) {
    to.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) to[i] += words[i];
  };
  ModelWords sum;
  for (const auto& [role, config] : configs_) {
    if (config.role() != BanditRole::party) continue;
    const LiveStore store(config.state, live_identity(config), live_key(config));
    std::optional<ModelWords> own;
    store.each(LiveTable::models, [&](const RowKey&, const LiveRow& row) {
      own = decode_model_words(row, *plan_);
      return true;
    });
    if (!own) throw Error(ExitCode::internal, fmt::format("{} has no model", role));
    add(sum.gram, own->gram);
    add(sum.targets, own->targets);
    add(sum.inverse, own->inverse);
    add(sum.weights, own->weights);
  }
  return sum;
}

}  // namespace sotto::apps::lab
