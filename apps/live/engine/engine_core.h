// What the engines of all roles have alike: two threads, one lock, and epoch after epoch.
//
// The engine thread sets up the links, opens an epoch and plays it until something ends it, then goes on with the next:
// for ever. Between two tries it pauses, from `shortest_pause` doubling up to `longest_pause`; where the roles do not
// fit together, or the disk is full, `longest_pause` at once. The call thread does what the role's own side asks, also
// while the engine thread is in rounds, and what is due by the clock.
//
// Both use the role's state machine under the lock, which nobody holds in rounds or while waiting for a peer. Where one
// of its functions throws, its memory may be ahead of its rows: the epoch ends and it is made anew.
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

// By the system's clock.
[[nodiscard]] LiveTime live_time_now();
[[nodiscard]] LiveTime live_time(std::chrono::system_clock::time_point time);

struct EngineConfig {
  LiveSettings settings;
  LiveWish wish{};  // what the role was started with
  Topology topology{2};
  NodeId self = 0;
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;     // "party 0"
  std::string version;  // of the program
  std::string session;  // of the config
  std::string config;   // which one it is: run_revision()
  // Sets up all links of an epoch; called by the engine thread, again and again.
  std::function<net::Mesh(net::Resume resume, const std::atomic<bool>& interrupted)> connect;
  // From what the roles have announced. The same at all roles.
  std::function<bandit::BatchPlan(const net::Mesh&)> plan;
  // A party: this service's model of an imported one (import/foreign_model.h).
  std::function<std::vector<std::byte>(std::span<const std::byte> imported, const bandit::BatchPlan& plan)> convert{};
  net::DriverOptions options{};  // the round deadline
  // A party: how long the waits of a small decide spin, where that is longer than other waits.
  std::optional<std::chrono::microseconds> spin_in_small_decides{};
  std::optional<std::uint64_t> insecure_seed{};
  std::optional<LiveTime> certificate_until{};  // the end of the role's own certificate
  std::function<LiveTime()> now = live_time_now;
  LiveObserver observer{};  // of batches; of a sync whoever owns the rows tells
  std::function<std::uint64_t()> store_bytes{};
  std::chrono::milliseconds shortest_pause{100};
  std::chrono::milliseconds longest_pause{10'000};
};

// An epoch as a role plays it.
struct Epoch {
  net::Mesh& mesh;
  bandit::BatchPlan plan;
  LiveOpening opening;
  net::DriverOptions options;
};

// The figures of every role that keeps the order.
template <class Role>
void fill_figures(LiveCounters& counters, const Role& role) {
  const OrderTally& tally = role.book().last().tally;
  counters.since = role.figures().since;
  counters.decides = tally.decides;
  counters.learns = tally.learns;
}

// What every role that keeps the order says of it.
template <class Role>
void fill_order(LiveStatus& status, const Role& role) {
  const auto& book = role.book();
  status.mode = role.mode();
  status.epoch = book.epoch().epoch;
  status.number = book.last().mark.number;
  status.model = book.last().tally.model;
  status.decisions_ever = book.last().decided;
  status.agreement = book.last().agreement;
  status.pending = role.pending();
  status.running = role.running() == nullptr ? 0 : role.running()->number;
  status.dropped = book.epoch().dropped;
  status.learned = book.last().learned;
  const bool is_bounded = book.most_learned() != std::numeric_limits<std::uint64_t>::max();
  status.steps = is_bounded ? std::optional(book.most_learned()) : std::nullopt;
  status.learning_ended = book.learning_has_ended();
}

// A role's part. Functions with "locked" in their comment are called under the lock.
class EngineRole {
 public:
  EngineRole() = default;
  EngineRole(const EngineRole&) = delete;
  EngineRole& operator=(const EngineRole&) = delete;
  virtual ~EngineRole() = default;

  // Locked: anew from the rows.
  virtual void make() = 0;
  // Locked: the epoch has ended. The role was made and none of its functions has thrown.
  virtual void leave_epoch() = 0;
  // Locked.
  [[nodiscard]] virtual LiveStanding standing() const = 0;
  // On the engine thread; throws when the epoch ends.
  virtual void play(const Epoch& epoch) = 0;
  // Locked, on the call thread, where something was asked or is due.
  virtual void work(LiveTime now) = 0;
  // Locked, or once both threads have ended: what was asked cannot be done.
  virtual void fail_calls(Trouble trouble) = 0;
  // Locked: when work() is due without a call.
  [[nodiscard]] virtual std::optional<LiveTime> next_due() const = 0;
  // Locked.
  virtual void fill(LiveStatus& status) const = 0;
  // Locked: the figures that it keeps with its rows.
  virtual void tell_figures(LiveCounters&) const {}
  // Both threads have ended: what is counted and not written is. The role was made and none of its functions has
  // thrown.
  virtual void write_figures() {}
};

class EngineCore {
 public:
  // All must outlive this.
  EngineCore(net::Io& io, EngineRole& role, EngineConfig config);
  ~EngineCore();
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  // The threads begin. Throws what making the role throws: InputError where its rows are damaged.
  void start();
  // The threads end; the peers are told.
  void stop();

  [[nodiscard]] const EngineConfig& config() const noexcept { return config_; }
  [[nodiscard]] LiveTime now() const { return config_.now(); }
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] LiveCounters counters() const;

  // ---- for the role
  // Calls body under the lock. What it throws ends the epoch, and the role is made anew.
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
  // Any thread: work() is due.
  void wake_calls();
  // Any thread: work() is due then.
  void wake_calls_by(std::optional<LiveTime> time);
  // Any thread: the engine thread's wait ends. `wake()` is the descriptor that it waits for.
  void wake_engine();
  [[nodiscard]] int wake() const noexcept { return wake_; }
  void clear_wake() const;
  // An epoch is open: what this role takes is taken.
  void say_open();
  void say_heard(NodeId peer);
  void count(const std::function<void(LiveCounters&)>& change);
  // The engine thread: calls body, and tells the observer how long that took but for what is timed within.
  template <class Body>
  auto timed(const ProgramShape& shape, LiveObserver::Phase phase, Body body) {
    const Stopwatch watch(*this, shape, phase);
    return body();
  }
  // Any thread: calls it on the Io's thread.
  void post(std::function<void()> call) { io_.post(std::move(call)); }
  // Locked: calls it on the Io's thread once status and counters say what it tells of.
  void tell(std::function<void()> call) { told_.push_back(std::move(call)); }
  // The steady time of a time by the role's clock, at most a second from now.
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
  std::atomic<bool> interrupted_{false};  // what the links look at

  std::mutex role_mutex_;
  bool broken_ = true;                       // the role is to be made
  std::string lacks_;                        // what the system had no more of, where that broke it
  LiveStatus said_;                          // by the role, of itself
  std::vector<std::function<void()>> told_;  // not posted yet

  std::mutex calls_mutex_;
  std::condition_variable calls_;
  bool asked_ = false;
  net::Clock::time_point naps_until_ = net::Clock::time_point::max();  // the call thread; while it is awake, for ever
  std::condition_variable paused_;

  mutable std::mutex status_mutex_;
  LiveStatus status_;
  LiveCounters counters_;
  bool was_open_ = false;               // the epoch that ends
  std::optional<OrderEntry> recovery_;  // with which the epoch opens

  double timed_within_ = 0;  // seconds; the engine thread's
  bool has_ended_ = false;
  std::thread engine_;
  std::thread caller_;
};

}  // namespace sotto::apps::live
