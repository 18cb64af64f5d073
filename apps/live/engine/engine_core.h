// The common part of the engines of all roles: two threads and one lock.
//
// The engine thread plays one epoch after another. If an epoch fails, the thread pauses before the next one: first for
// `shortest_pause`, then twice as long each time, up to `longest_pause`. The call thread handles the calls of the
// role's own organisation, even while the engine thread is in rounds.
//
// Both threads use the role's state machine under the lock. No thread holds the lock in rounds or during a wait for a
// peer. If a function of the state machine throws, the members of the state machine may no longer agree with the rows
// on the disk. The epoch then ends, and the engine makes the state machine again from the rows.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/live/order/opening.h"
#include "apps/live/service/live_service.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/transport/io.h"

namespace sotto::apps::live {

[[nodiscard]] LiveTime live_time_now();
[[nodiscard]] LiveTime live_time(std::chrono::system_clock::time_point time);

struct EngineConfig {
  LiveSettings settings;
  RecoveryRequest recovery_request{};
  Topology topology{2};
  NodeId self = 0;
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;
  std::string version;
  std::string session;
  std::string config;
  // The engine thread calls `connect`, `plan` and `convert` while it opens an epoch.
  std::function<net::Mesh(net::Resume resume, const std::atomic<bool>& interrupted)> connect;
  std::function<bandit::BatchPlan(const net::Mesh&)> plan;
  std::function<std::vector<std::byte>(std::span<const std::byte> imported, const bandit::BatchPlan& plan)> convert{};
  net::DriverOptions options{};
  // At a party: how long a thread spins before it sleeps, when it waits in the rounds of a small decide. If not set, as
  // long as in other rounds.
  std::optional<std::chrono::microseconds> spin_in_small_decides{};
  std::optional<std::uint64_t> insecure_seed{};
  std::optional<LiveTime> certificate_until{};
  std::function<LiveTime()> now = live_time_now;
  LiveObserver observer{};  // the engine calls only `batch`; the owner of the rows calls `sync`
  std::function<std::uint64_t()> store_bytes{};
  std::chrono::milliseconds shortest_pause{100};
  std::chrono::milliseconds longest_pause{10'000};
};

struct Epoch {
  net::Mesh& mesh;
  bandit::BatchPlan plan;
  LiveOpening opening;
  net::DriverOptions options;
};

template <class Role>
void fill_figures(LiveCounters& counters, const Role& role) {
  const OrderTally& tally = role.book().last().tally;
  counters.since = role.figures().since;
  counters.history = role.figure_history();
  counters.decides = tally.decides;
  counters.learns = tally.learns;
}

template <class Role>
void fill_order(LiveStatus& status, const Role& role) {
  const auto& book = role.book();
  status.mode = role.mode();
  status.epoch = book.epoch().epoch;
  status.number = book.last().mark.number;
  status.model = book.last().tally.model;
  status.decisions_ever = book.last().decided;
  status.agreement = book.last().agreement;
  status.lift = book.last().lift;
  status.pending = role.pending();
  status.running = role.running() == nullptr ? 0 : role.running()->number;
  status.dropped = book.epoch().dropped;
  status.learned = book.last().learned;
  const bool is_bounded = book.most_learned() != std::numeric_limits<std::uint64_t>::max();
  status.steps = is_bounded ? std::optional(book.most_learned()) : std::nullopt;
  status.learning_ended = book.learning_has_ended();
}

// The part of the engine that differs from role to role. The core calls all functions except play() and write_figures()
// under the lock.
class EngineRole {
 public:
  EngineRole() = default;
  EngineRole(const EngineRole&) = delete;
  EngineRole& operator=(const EngineRole&) = delete;
  virtual ~EngineRole() = default;

  virtual void make() = 0;
  // Called when the epoch has ended, if the role exists and no function of the role has thrown.
  virtual void leave_epoch() = 0;
  [[nodiscard]] virtual LiveHistory history() const = 0;
  // Runs on the engine thread, and throws when the epoch ends.
  virtual void play(const Epoch& epoch) = 0;
  // Called on the call thread, if there are new calls or work is due.
  virtual void work(LiveTime now) = 0;
  // Answers all waiting calls with `trouble`. Also called after both threads have ended.
  virtual void fail_calls(CallRefusal trouble) = 0;
  // The time at which work() must be called even if no call arrives.
  [[nodiscard]] virtual std::optional<LiveTime> next_due() const = 0;
  virtual void fill(LiveStatus& status) const = 0;
  virtual void report_figures(LiveCounters&) const {}
  // Called when both threads have ended, if the role exists and no function of the role has thrown.
  virtual void write_figures() {}
};

class EngineCore {
 public:
  // All arguments must outlive this object.
  EngineCore(net::Io& io, EngineRole& role, EngineConfig config);
  ~EngineCore();
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  // Throws InputError if the role's rows are damaged.
  void start();
  // Notifies the peers and ends the two threads.
  void stop();

  [[nodiscard]] const EngineConfig& config() const noexcept { return config_; }
  [[nodiscard]] LiveTime now() const { return config_.now(); }
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] LiveCounters counters() const;

  // Calls `body` under the lock. If `body` throws, the epoch ends and the role is made again.
  template <class Body>
  auto with_role(Body body) {
    const std::lock_guard lock(role_mutex_);
    if (broken_) throw Interrupted();
    try {
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
        report();
      } else {
        auto result = body();
        report();
        return result;
      }
    } catch (...) {
      break_role();
      report();
      throw;
    }
  }
  // Any thread may call the three wake functions and post().
  void wake_calls();
  void wake_calls_by(std::optional<LiveTime> time);
  void wake_engine();
  [[nodiscard]] int wake() const noexcept { return wake_; }
  void clear_wake() const;
  void say_open();
  void say_heard(NodeId peer);
  void count(const std::function<void(LiveCounters&)>& change);
  // Call on the engine thread.
  template <class Body>
  auto timed(const ProgramShape& shape, LiveObserver::Phase phase, Body body) {
    const Stopwatch watch(*this, shape, phase);
    return body();
  }
  void post(std::function<void()> call) { io_.post(std::move(call)); }
  // Call under the lock. Runs `call` on the Io's thread, after status and counters have been updated.
  void post_later(std::function<void()> call) { later_.push_back(std::move(call)); }
  // The result is at most a second from now.
  [[nodiscard]] net::Clock::time_point until(std::optional<LiveTime> time) const;

 private:
  class Stopwatch {
   public:
    Stopwatch(EngineCore& core, const ProgramShape& shape, LiveObserver::Phase phase)
        : core_(core), shape_(shape), phase_(phase), outer_(std::exchange(core.timed_within_, 0)) {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() {
      const std::chrono::duration<double> passed = net::Clock::now() - begin_;
      const LiveObserver& observer = core_.config_.observer;
      if (observer.batch) observer.batch(shape_, phase_, passed.count() - core_.timed_within_);
      core_.timed_within_ = outer_ + passed.count();
    }

   private:
    EngineCore& core_;
    ProgramShape shape_;
    LiveObserver::Phase phase_;
    double outer_;
    net::Clock::time_point begin_ = net::Clock::now();
  };

  void run_epochs();
  bool run_epoch();
  void play(net::Mesh mesh);
  void note_links(const net::Mesh& mesh);
  void run_calls();
  void do_work();
  void write_figures();
  void break_role();
  void note_interruption(const Interrupted& error);
  void report();
  void read_status();
  void note_end(const std::exception& error, const char* cause, Readiness readiness);
  void pause(std::chrono::milliseconds time);

  net::Io& io_;
  EngineRole& role_;
  EngineConfig config_;
  int wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> interrupted_{false};

  std::mutex role_mutex_;
  bool broken_ = true;
  std::string lacks_;
  LiveStatus said_;
  std::vector<std::function<void()>> later_;

  std::mutex calls_mutex_;
  std::condition_variable calls_;
  bool asked_ = false;
  net::Clock::time_point naps_until_ = net::Clock::time_point::max();
  std::condition_variable paused_;

  mutable std::mutex status_mutex_;
  LiveStatus status_;
  LiveCounters counters_;
  bool was_open_ = false;
  std::optional<OrderEntry> recovery_;

  double timed_within_ = 0;
  bool has_ended_ = false;
  std::thread engine_;
  std::thread caller_;
};

}  // namespace sotto::apps::live
