#include "apps/live/engine/engine_core.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps::live {
namespace {

constexpr std::uint64_t longest_nap = 1000;  // ms; naps are short, because the clock may jump

}  // namespace

LiveTime live_time_now() { return live_time(std::chrono::system_clock::now()); }

LiveTime live_time(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return static_cast<LiveTime>(std::max<decltype(since)>(since, 0));
}

EngineCore::EngineCore(net::Io& io, EngineRole& role, EngineConfig config)
    : io_(io), role_(role), config_(std::move(config)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw ResourceError("the system has no descriptors left: raise the limit (ulimit -n)");
  status_.kind = config_.kind;
  status_.role = config_.role;
  status_.version = config_.version;
  status_.session = config_.session;
  status_.config = config_.config;
  status_.why = "the links are not there yet";
  status_.certificate_until = config_.certificate_until;
  counters_.since = counters_.process_since = config_.now();
  if (!config_.topology.has_dealer()) counters_.prepared.emplace();
  for (const NodeId peer : net::peers_of(config_.topology, config_.self)) {
    status_.peers.push_back(PeerStatus{net::peer_name(config_.topology, peer), PeerState::away, std::nullopt, {}});
  }
}

EngineCore::~EngineCore() {
  stop();
  ::close(wake_);
}

void EngineCore::start() {
  {
    const std::lock_guard lock(role_mutex_);
    role_.make();
    broken_ = false;
    report();
  }
  caller_ = std::thread([this] { run_calls(); });
  engine_ = std::thread([this] { run_epochs(); });
}

void EngineCore::stop() {
  if (std::exchange(has_ended_, true)) return;
  stopping_ = true;
  interrupted_ = true;
  wake_engine();
  {
    const std::lock_guard lock(calls_mutex_);
    asked_ = true;
  }
  calls_.notify_all();
  paused_.notify_all();
  if (engine_.joinable()) engine_.join();
  if (caller_.joinable()) caller_.join();
  role_.fail_calls(CallRefusal::ended);
  write_figures();
  {
    const std::lock_guard lock(status_mutex_);
    status_.readiness = Readiness::ended;
    status_.why = "it ends";
  }
  report();
}

void EngineCore::write_figures() {
  if (broken_) return;
  try {
    role_.write_figures();
  } catch (const std::exception&) {
    broken_ = true;
  }
}

void EngineCore::wake_calls() {
  {
    const std::lock_guard lock(calls_mutex_);
    asked_ = true;
  }
  calls_.notify_one();
}

void EngineCore::wake_calls_by(std::optional<LiveTime> time) {
  const net::Clock::time_point end = until(time);
  {
    const std::lock_guard lock(calls_mutex_);
    if (naps_until_ <= end) return;
    asked_ = true;
  }
  calls_.notify_one();
}

void EngineCore::wake_engine() {
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
}

void EngineCore::clear_wake() const {
  std::uint64_t count = 0;
  (void)!::read(wake_, &count, sizeof count);
}

net::Clock::time_point EngineCore::until(std::optional<LiveTime> time) const {
  const LiveTime at = now();
  std::uint64_t wait = longest_nap;
  if (time) wait = *time > at ? std::min(*time - at, longest_nap) : 0;
  return net::Clock::now() + std::chrono::milliseconds(wait);
}

void EngineCore::run_calls() {
  while (!stopping_) {
    std::optional<LiveTime> due;
    {
      const std::lock_guard lock(role_mutex_);
      if (!broken_) due = role_.next_due();
    }
    {
      std::unique_lock lock(calls_mutex_);
      naps_until_ = until(due);
      calls_.wait_until(lock, naps_until_, [this] { return asked_; });
      naps_until_ = net::Clock::time_point::max();
      asked_ = false;
    }
    if (!stopping_) do_work();
  }
}

void EngineCore::do_work() {
  try {
    with_role([this] { role_.work(now()); });
  } catch (const std::exception&) {
    // The calls that the role has processed are already answered. All other calls fail now, and the engine thread makes
    // the role again.
    const std::lock_guard lock(role_mutex_);
    role_.fail_calls(CallRefusal::disk_full);
    report();
  }
}

// Call break_role() only while an exception is handled.

void EngineCore::break_role() {
  broken_ = true;
  try {
    throw;
  } catch (const ResourceError& error) {
    lacks_ = error.what();
    const std::lock_guard lock(status_mutex_);
    status_.readiness = Readiness::disk_full;
    status_.why = terminal_safe(lacks_);
  } catch (...) {
    lacks_.clear();
  }
  interrupted_ = true;
  wake_engine();
}

void EngineCore::run_epochs() {
  std::chrono::milliseconds wait = config_.shortest_pause;
  while (!stopping_) {
    if (run_epoch()) wait = config_.shortest_pause;
    if (stopping_) return;
    const bool later = status().readiness == Readiness::refused || status().readiness == Readiness::disk_full;
    pause(later ? config_.longest_pause : wait);
    wait = std::min(2 * wait, config_.longest_pause);
  }
}

void EngineCore::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(calls_mutex_);
  paused_.wait_for(lock, time, [this] { return stopping_.load(); });
}

bool EngineCore::run_epoch() {
  try {
    net::Resume resume;
    {
      const std::lock_guard lock(role_mutex_);
      if (broken_) role_.make();
      broken_ = false;
      lacks_.clear();
      interrupted_ = false;
      if (stopping_) interrupted_ = true;  // stop() may just have set `interrupted_`
      report();
      resume = resume_live(config_.topology, role_.history());
    }
    wake_calls();
    play(config_.connect(std::move(resume), interrupted_));
  } catch (const Interrupted& error) {
    note_interruption(error);
  } catch (const DisagreementError& error) {
    note_end(error, "disagreement", Readiness::refused);
  } catch (const TrustError& error) {
    note_end(error, "trust", Readiness::refused);
  } catch (const ResourceError& error) {
    note_end(error, "resources", Readiness::disk_full);
  } catch (const NetworkError& error) {
    note_end(error, "network", Readiness::setting_up);
  } catch (const Error& error) {
    // A peer has reported the error `error` about itself.
    const bool refused = error.exit_code() == ExitCode::disagreement;
    note_end(error, "peer", refused ? Readiness::refused : Readiness::setting_up);
  } catch (const std::exception& error) {
    note_end(error, "internal", Readiness::setting_up);
    const std::lock_guard lock(role_mutex_);
    broken_ = true;
  }
  const std::lock_guard lock(role_mutex_);
  if (!broken_) role_.leave_epoch();
  report();
  const std::lock_guard also(status_mutex_);
  return std::exchange(was_open_, false);
}

void EngineCore::note_interruption(const Interrupted& error) {
  std::string lacks;
  {
    const std::lock_guard lock(role_mutex_);
    lacks = lacks_;
  }
  if (lacks.empty()) {
    note_end(error, "ended", Readiness::setting_up);
  } else {
    note_end(ResourceError(lacks), "resources", Readiness::disk_full);
  }
}

void EngineCore::play(net::Mesh mesh) {
  try {
    const auto opening = decode_live_opening(mesh.resume_point());
    if (!opening) {
      throw ProtocolError(ProtocolError::Kind::malformed, "", 0, "the peers agreed on a point that opens no epoch");
    }
    Epoch epoch{mesh, config_.plan(mesh), *opening, config_.options};
    epoch.options.epoch = opening->epoch;
    epoch.options.interrupted = &interrupted_;
    note_links(mesh);
    {
      const std::lock_guard lock(status_mutex_);
      recovery_ = opening->recovery;
    }
    role_.play(epoch);
  } catch (...) {
    net::fail_run(std::current_exception(), mesh);
  }
}

void EngineCore::note_links(const net::Mesh& mesh) {
  const auto peers = net::peers_of(config_.topology, config_.self);
  const std::lock_guard lock(status_mutex_);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    PeerStatus& peer = status_.peers[i];
    peer.state = PeerState::here;
    if (const auto until = mesh.link(peers[i]).peer_valid_until()) peer.certificate_until = live_time(*until);
  }
  status_.why = "an epoch is being opened";
}

void EngineCore::say_open() {
  const std::lock_guard lock(status_mutex_);
  status_.readiness = Readiness::ready;
  status_.why.clear();
  if (recovery_) status_.recovery = recovery_;
  was_open_ = true;
  for (PeerStatus& peer : status_.peers) peer.trouble.clear();
}

void EngineCore::say_heard(NodeId peer) {
  const auto peers = net::peers_of(config_.topology, config_.self);
  const auto found = std::find(peers.begin(), peers.end(), peer);
  if (found == peers.end()) return;
  const LiveTime at = now();
  const std::lock_guard lock(status_mutex_);
  status_.peers[static_cast<std::size_t>(found - peers.begin())].last_heard = at;
}

void EngineCore::count(const std::function<void(LiveCounters&)>& change) {
  const std::lock_guard lock(status_mutex_);
  change(counters_);
}

void EngineCore::note_end(const std::exception& error, const char* cause, Readiness readiness) {
  const std::string line = terminal_safe(error.what());
  const auto* const from_network = dynamic_cast<const NetworkError*>(&error);
  const std::lock_guard lock(status_mutex_);
  status_.readiness = readiness;
  status_.why = line;
  for (PeerStatus& peer : status_.peers) {
    peer.state = PeerState::away;
    if (from_network != nullptr && peer.role == from_network->peer()) peer.trouble = line;
  }
  if (was_open_) ++counters_.epochs[cause];
}

// Call under the role's lock, or after both threads have ended.
void EngineCore::report() {
  if (!broken_) read_status();
  for (std::function<void()>& call : later_) post(std::move(call));
  later_.clear();
}

void EngineCore::read_status() {
  role_.fill(said_);
  const std::lock_guard lock(status_mutex_);
  role_.report_figures(counters_);
  status_.mode = said_.mode;
  status_.epoch = said_.epoch;
  status_.number = said_.number;
  status_.checkpoint = said_.checkpoint;
  status_.model = said_.model;
  status_.decisions_ever = said_.decisions_ever;
  status_.agreement = said_.agreement;
  status_.agreement.share = 0;  // readers of the status must not see the share
  status_.lift = said_.lift;
  status_.lift.words.clear();  // nor the shares and the noise of the lift
  status_.pending = said_.pending;
  status_.queue = said_.queue;
  status_.has_account = said_.has_account;
  status_.account_trouble = said_.account_trouble;
  status_.days_ahead = said_.days_ahead;
  status_.running = said_.running;
  status_.draining = said_.draining;
  status_.snapshots = said_.snapshots;
  status_.dropped = said_.dropped;
  status_.learned = said_.learned;
  status_.steps = said_.steps;
  status_.learning_ended = said_.learning_ended;
  status_.clock_ahead = said_.clock_ahead;
  status_.clock_turns = said_.clock_turns;
  status_.drained = said_.drained;
}

LiveStatus EngineCore::status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

LiveCounters EngineCore::counters() const {
  const std::uint64_t stored = config_.store_bytes ? config_.store_bytes() : 0;
  const std::lock_guard lock(status_mutex_);
  LiveCounters counters = counters_;
  counters.store_bytes = stored;
  return counters;
}

}  // namespace sotto::apps::live
