// A role of the decision service as its config describes it: its store, its links and its engine.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/learned_model.h"
#include "apps/live/config/live_config.h"
#include "apps/live/engine/engine_core.h"
#include "apps/live/rows/live_store.h"
#include "apps/live/serve/window_charges.h"
#include "apps/live/service/live_service.h"
#include "core/system/descriptor.h"

namespace sotto::apps::live {

struct ServeExtras {
  std::optional<int> listen_descriptor;  // a bound socket to listen on, instead of the config's address
  bool accept_rollback = false;          // dealer or helper: once, it does not tell what it knows to be settled
  LiveWish wish{};                       // what is done about lost stores (order/opening.h)
  // A party: its config of the service or the run whose model this service begins from; null: it begins anew. Has no
  // meaning once it has begun.
  std::shared_ptr<const RoleSettings> from{};
  bandit::ReadRunModel read_run{};  // where that is of a run
  LiveObserver observer{};
  // Takes lines for the log of who is there, of any thread; without it they go to stderr.
  std::function<void(const std::string&)> tell{};
  // Takes warnings, of any thread.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class ServedRole {
 public:
  // Reads the role's files and opens its store, or makes one where there is none, and listens. `io` must outlive this.
  // Throws InputError and ResourceError as those do.
  ServedRole(const LiveConfig& config, net::Io& io, ServeExtras extras = {});
  ~ServedRole();
  ServedRole(const ServedRole&) = delete;
  ServedRole& operator=(const ServedRole&) = delete;

  void start();
  // Its calls that wait are told that it ends.
  void stop();
  [[nodiscard]] LiveService& service();
  // Any thread: copies the store to a folder while the role runs, and returns once the copy is on the disk. InputError
  // where the folder holds a store, ResourceError where it cannot be written, Interrupted where `stop` is raised.
  void back_up(const std::filesystem::path& into, const std::atomic<bool>& stop);
  // Any thread: from the next epoch on these certificates are trusted. `config` is that of the role, read again.
  void trust(const LiveConfig& config);

 private:
  class TimedRows;
  class Engine;
  template <class Of>
  class EngineOf;
  [[nodiscard]] LiveConfig trusting_config() const;
  void import_model(const RoleSettings& from, const bandit::ReadRunModel& read_run);
  void make_engine(net::Io& io, EngineConfig engine, const ServeExtras& extras);

  mutable std::mutex trust_mutex_;
  LiveConfig config_;  // its trust changes under the lock
  Descriptor port_;
  std::unique_ptr<LiveStore> store_;
  std::unique_ptr<TimedRows> rows_;
  std::unique_ptr<WindowCharges> charges_;
  std::unique_ptr<Engine> engine_;
};

// A service whose roles all run on this machine, in one folder.

// The configs of its roles, in the order of roles(), with these settings in common: makes their keys in `folder`, and
// gives each a store there, ROLE-state, and an interface at the Unix socket ROLE.sock. Throws as make_local_keys().
[[nodiscard]] std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder);

}  // namespace sotto::apps::live
