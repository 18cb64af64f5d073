#include "apps/roles/launcher.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string_view>

#include "apps/data/atomic_file.h"
#include "apps/roles/child_process.h"
#include "apps/roles/local_state.h"
#include "apps/roles/private_folder.h"
#include "apps/roles/role_keys.h"
#include "apps/roles/root_cause.h"
#include "core/error/errors.h"
#include "net/tcp/listener.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;

// Once one role has failed, the others are told over their links and end by themselves.
constexpr std::chrono::milliseconds time_to_hear{3000};
constexpr std::chrono::milliseconds time_to_end{1500};  // after SIGTERM
constexpr int look_milliseconds = 50;

struct PlannedRole {
  RoleConfig config;
  OwnedDescriptor listener;
};

// With keys for this run alone, or those of its state.
std::vector<RoleConfig> configs_of(const LocalRun& local, const std::filesystem::path& folder) {
  if (!local.state.empty()) {
    std::vector<RoleConfig> roles = read_local_state(local.state);
    for (RoleConfig& config : roles) config.resume = true;
    return roles;
  }
  std::vector<RoleConfig> roles = local_roles(local);
  if (local.run.insecure_plaintext) return roles;
  const std::map<std::string, std::string> trust = make_local_keys(local.run, folder);
  for (RoleConfig& config : roles) {
    config.run.trust = trust;
    config.key = key_file(folder, peer_key(config.role, config.id));
  }
  return roles;
}

std::vector<PlannedRole> plan_roles(const LocalRun& local, const std::filesystem::path& folder) {
  std::vector<PlannedRole> roles;
  std::map<std::string, std::string> peers;
  for (RoleConfig& config : configs_of(local, folder)) {
    const std::string key = peer_key(config.role, config.id);
    PlannedRole role{std::move(config), {}};
    role.config.report = folder / (key + ".json");
    if (role.config.run.separate_rewarder) role.config.arm_socket = folder / "arms";
    if (role.config.role == Role::dealer || role.config.role == Role::party) {
      net::TcpListener listener(net::Address{"127.0.0.1", 0});
      peers[key] = listener.address().text();
      role.listener = OwnedDescriptor(listener.release());
    }
    roles.push_back(std::move(role));
  }
  for (PlannedRole& role : roles) role.config.peers = peers;
  return roles;
}

// Lines "step average rounds" of the rewarder.
class ProgressPipe {
 public:
  [[nodiscard]] int reading_end() const { return pipe_.read.get(); }
  [[nodiscard]] int writing_end() const { return pipe_.write.get(); }
  void close_writing_end() { pipe_.write.close(); }
  [[nodiscard]] bool open() const { return open_; }

  // The last whole line that came, if any.
  std::optional<ProgressState> take(std::uint64_t total_steps) {
    char buffer[4096];
    for (;;) {
      const ssize_t bytes = ::read(reading_end(), buffer, sizeof buffer);
      if (bytes == 0) open_ = false;
      if (bytes <= 0) break;
      text_.append(buffer, static_cast<std::size_t>(bytes));
    }
    const std::size_t end = text_.rfind('\n');
    if (end == std::string::npos) return std::nullopt;
    const std::size_t before = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::string line = text_.substr(begin, end - begin);
    text_.erase(0, end + 1);
    return parse(line, total_steps);
  }

 private:
  static std::optional<ProgressState> parse(std::string_view line, std::uint64_t total_steps) {
    ProgressState state;
    state.total_steps = total_steps;
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto take = [&](auto& value) {
      const auto [stop, error] = std::from_chars(at, end, value);
      at = stop == end ? end : stop + 1;
      return error == std::errc{};
    };
    if (take(state.step) && take(state.average_reward) && take(state.rounds)) return state;
    return std::nullopt;
  }

  Pipe pipe_;
  bool open_ = true;
  std::string text_;
};

class Launch {
 public:
  Launch(const LocalRun& local, const std::function<void(const ProgressState&)>& progress,
         const std::atomic<bool>& interrupted)
      : local_(local), progress_(progress), interrupted_(interrupted) {}

  LaunchOutcome run() {
    std::vector<PlannedRole> roles = plan_roles(local_, folder_.path());
    for (PlannedRole& role : roles) start(role);
    pipe_.close_writing_end();
    while (!all_ended()) {
      wait();
      look();
      end_what_lingers();
    }
    if (was_interrupted_) throw Interrupted();
    if (const std::optional<Error> cause = root_cause(ends_)) throw Error(*cause);
    return gather(roles);
  }

 private:
  void start(PlannedRole& role) {
    const RoleConfig& config = role.config;
    const std::string key = peer_key(config.role, config.id);
    const std::filesystem::path file = folder_.path() / (key + ".toml");
    write_file(file, to_toml(config));
    // What is in the environment is not meant for the roles of a run that has its own flags.
    std::vector<std::string> arguments{config.role == Role::party ? "party" : key, "--config",
                                       file.string(), "--ignore-variables"};
    if (config.resume) arguments.emplace_back("--resume");
    std::vector<int> descriptors;
    if (role.listener.get() >= 0) {
      descriptors.push_back(role.listener.get());
      arguments.insert(arguments.end(),
                       {"--listen-descriptor", std::to_string(role.listener.get())});
    }
    if (!config.environment.empty()) {
      descriptors.push_back(pipe_.writing_end());
      arguments.insert(arguments.end(),
                       {"--progress-descriptor", std::to_string(pipe_.writing_end())});
      if (local_.record_arms) arguments.emplace_back("--record-arms");
    }
    children_.push_back(
        std::make_unique<ChildProcess>(config.name(), local_.program, arguments, descriptors));
    role.listener.close();
  }

  void wait() {
    std::vector<pollfd> descriptors;
    for (const auto& child : children_) {
      if (!child->ended()) descriptors.push_back(pollfd{child->output(), POLLIN, 0});
    }
    if (pipe_.open()) descriptors.push_back(pollfd{pipe_.reading_end(), POLLIN, 0});
    // Returns early on a signal, and when a child ends, since its output then closes.
    ::poll(descriptors.data(), descriptors.size(), look_milliseconds);
  }

  void look() {
    if (pipe_.open()) {
      const auto state = pipe_.take(local_.run.steps);
      if (state && progress_) progress_(*state);
    }
    for (const auto& child : children_) {
      if (!child->poll()) continue;
      const std::optional<int> by = child->ended_by_signal();
      ends_.push_back(RoleEnd{child->name(), child->exit_code(),
                              by && child->was_signalled_here() ? std::nullopt : by,
                              child->message(), child->was_signalled_here()});
      if (!child->succeeded() && !failed_at_) failed_at_ = Clock::now();
    }
  }

  void end_what_lingers() {
    const Clock::time_point now = Clock::now();
    if (interrupted_ && !was_interrupted_) {
      was_interrupted_ = true;
      term_at_ = now;
    } else if (failed_at_ && !term_at_) {
      term_at_ = *failed_at_ + time_to_hear;
    }
    if (!term_at_ || now < *term_at_) return;
    const bool kill = now >= *term_at_ + time_to_end;
    if (!kill && asked_) return;
    asked_ = true;
    for (const auto& child : children_) child->signal(kill ? SIGKILL : SIGTERM);
  }

  [[nodiscard]] bool all_ended() const {
    return std::all_of(children_.begin(), children_.end(),
                       [](const auto& child) { return child->ended(); });
  }

  LaunchOutcome gather(const std::vector<PlannedRole>& roles) const {
    LaunchOutcome outcome;
    for (const PlannedRole& role : roles) {
      outcome.reports.push_back(read_role_report(role.config.report));
      outcome.loop_seconds = std::max(outcome.loop_seconds, outcome.reports.back().online_seconds);
    }
    return outcome;
  }

  const LocalRun& local_;
  const std::function<void(const ProgressState&)>& progress_;
  const std::atomic<bool>& interrupted_;
  PrivateFolder folder_;
  ProgressPipe pipe_;
  std::vector<std::unique_ptr<ChildProcess>> children_;
  std::vector<RoleEnd> ends_;
  std::optional<Clock::time_point> failed_at_;
  std::optional<Clock::time_point> term_at_;
  bool asked_ = false;
  bool was_interrupted_ = false;
};

}  // namespace

LaunchOutcome launch_local_run(const LocalRun& run,
                               const std::function<void(const ProgressState&)>& progress,
                               const std::atomic<bool>& interrupted) {
  return Launch(run, progress, interrupted).run();
}

}  // namespace sotto::apps
