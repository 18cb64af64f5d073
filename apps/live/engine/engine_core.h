// The common part of the engines of all roles: two threads, one lock, and epoch after epoch.
//
// The engine thread sets up the links, opens an epoch and plays it until something ends the epoch. Then it continues
// with the next epoch, until the engine is stopped. Between two tries it pauses, first for `shortest_pause`, then
// doubling up to `longest_pause`. If the roles do not fit together, or the disk is full, it pauses for `longest_pause`
// at once. The call thread does the calls of the role's own organisation and the work that is due by the clock, also
// while the engine thread is in rounds.
//
// Both threads use the role's state machine under the lock. No thread holds the lock in rounds or while it waits for a
// peer. If a function of the state machine throws, its memory may be ahead of its rows: the epoch ends and the state
// machine is made again.
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
  LiveWish wish{};  // the recovery that the role was started with
  Topology topology{2};
  NodeId self = 0;
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;     // "party 0"
  std::string version;  // of the program
  std::string session;  // of the config
  std::string config;   // its revision: run_revision()
  // Sets up all links of an epoch. The engine thread calls this for each epoch.
  std::function<net::Mesh(net::Resume resume, const std::atomic<bool>& interrupted)> connect;
  // Made from the announcements of the roles. The same at all roles.
  std::function<bandit::BatchPlan(const net::Mesh&)> plan;
  // A party: makes this service's model from an imported one (import/foreign_model.h).
  std::function<std::vector<std::byte>(std::span<const std::byte> imported, const bandit::BatchPlan& plan)> convert{};
  net::DriverOptions options{};  // the round deadline
  // A party: how long the waits of a small decide spin, if that is longer than other waits.
  std::optional<std::chrono::microseconds> spin_in_small_decides{};
  std::optional<std::uint64_t> insecure_seed{};
  std::optional<LiveTime> certificate_until{};  // the end of the role's own certificate
  std::function<LiveTime()> now = live_time_now;
  LiveObserver observer{};  // for batches; the owner of the rows reports syncs
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

// The status of the order, at every role that keeps the order.
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

// The part of one role. Functions with "Locked" in their comment are called under the lock.
class EngineRole {
 public:
  EngineRole() = default;
  EngineRole(const EngineRole&) = delete;
  EngineRole& operator=(const EngineRole&) = delete;
  virtual ~EngineRole() = default;

  // Locked: makes the role again from the rows.
  virtual void make() = 0;
  // Locked: the epoch has ended. The role was made, and none of its functions has thrown.
  virtual void leave_epoch() = 0;
  // Locked.
  [[nodiscard]] virtual LiveStanding standing() const = 0;
  // On the engine thread; throws when the epoch ends.
  virtual void play(const Epoch& epoch) = 0;
  // Locked, on the call thread, if something was asked or is due.
  virtual void work(LiveTime now) = 0;
  // Locked, or once both threads have ended: the calls that wait cannot be done.
  virtual void fail_calls(Trouble trouble) = 0;
  // Locked: the time at which work() is due without a call.
  [[nodiscard]] virtual std::optional<LiveTime> next_due() const = 0;
  // Locked.
  virtual void fill(LiveStatus& status) const = 0;
  // Locked: the figures that the role keeps with its rows.
  virtual void tell_figures(LiveCounters&) const {}
  // Both threads have ended: writes figures that are counted and not written yet. The role was made, and none of its
  // functions has thrown.
  virtual void write_figures() {}
};

class EngineCore {
 public:
  // All arguments must outlive this.
  EngineCore(net::Io& io, EngineRole& role, EngineConfig config);
  ~EngineCore();
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  // Begins the threads. Throws what making the role throws: InputError if its rows are damaged.
  void start();
  // Ends the threads and notifies the peers.
  void stop();

  [[nodiscard]] const EngineConfig& config() const noexcept { return config_; }
  [[nodiscard]] LiveTime now() const { return config_.now(); }
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] LiveCounters counters() const;

  // ---- for the role
  // Calls body under the lock. If body throws, the epoch ends and the role is made again.
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
  // Any thread: work() is due at that time.
  void wake_calls_by(std::optional<LiveTime> time);
  // Any thread: ends the wait of the engine thread. `wake()` is the descriptor that the engine thread waits for.
  void wake_engine();
  [[nodiscard]] int wake() const noexcept { return wake_; }
  void clear_wake() const;
  // An epoch is open: this role now takes its calls.
  void say_open();
  void say_heard(NodeId peer);
  void count(const std::function<void(LiveCounters&)>& change);
  // The engine thread: calls body. Reports to the observer how long that took, without the parts that are timed within.
  template <class Body>
  auto timed(const ProgramShape& shape, LiveObserver::Phase phase, Body body) {
    const Stopwatch watch(*this, shape, phase);
    return body();
  }
  // Any thread: runs the call on the Io's thread.
  void post(std::function<void()> call) { io_.post(std::move(call)); }
  // Locked: runs the call on the Io's thread, once status and counters have what the call reports.
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
  std::atomic<bool> interrupted_{false};  // the links look at this

  std::mutex role_mutex_;
  bool broken_ = true;                       // the role has to be made
  std::string lacks_;                        // the resource that the system had no more of, if that broke the role
  LiveStatus said_;                          // by the role, about itself
  std::vector<std::function<void()>> told_;  // not posted yet

  std::mutex calls_mutex_;
  std::condition_variable calls_;
  bool asked_ = false;
  net::Clock::time_point naps_until_ = net::Clock::time_point::max();  // the call thread; max() while it is awake
  std::condition_variable paused_;

  mutable std::mutex status_mutex_;
  LiveStatus status_;
  LiveCounters counters_;
  bool was_open_ = false;               // of the epoch that ends
  std::optional<OrderEntry> recovery_;  // the recovery with which the epoch opens

  double timed_within_ = 0;  // seconds; of the engine thread
  bool has_ended_ = false;
  std::thread engine_;
  std::thread caller_;
};

}  // namespace sotto::apps::live
