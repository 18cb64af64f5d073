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
  bool accept_rollback = false;          // at dealer or helper: once hides the number that it knows to be settled
  LiveWish wish{};                       // the recovery that the role is started with (order/opening.h)
  // At a party: the party's config in the service or run whose model this service begins from. Null: the service begins
  // with an empty model. Without effect once the service has begun.
  std::shared_ptr<const RoleSettings> from{};
  bandit::ReadRunModel read_run{};  // reads the model of a run
  LiveObserver observer{};
  // Takes lines for the log about peers that have come, from any thread. Without it the lines go to stderr.
  std::function<void(const std::string&)> tell{};
  // Takes warnings, from any thread.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class ServedRole {
 public:
  // Reads the role's files, opens its store or makes one if there is none, and listens. `io` must outlive this. Throws
  // InputError and ResourceError as these steps do.
  ServedRole(const LiveConfig& config, net::Io& io, ServeExtras extras = {});
  ~ServedRole();
  ServedRole(const ServedRole&) = delete;
  ServedRole& operator=(const ServedRole&) = delete;

  void start();
  // Stops the role. Calls that wait learn that the role ends.
  void stop();
  [[nodiscard]] LiveService& service();
  // Copies the store to a folder while the role runs, and returns once the copy is on the disk. Any thread may call.
  // InputError if the folder holds a store, ResourceError if the copy cannot be written, Interrupted if `stop` is set.
  void back_up(const std::filesystem::path& into, const std::atomic<bool>& stop);
  // From the next epoch on the role trusts the certificates in `config`, which is the role's config, read again. Any
  // thread may call.
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

// The configs of its roles, in the order of roles(), with these common settings. Makes their keys in `folder`, and
// gives each role a store there, ROLE-state, and an interface at the Unix socket ROLE.sock. Throws as
// make_local_keys().
[[nodiscard]] std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder);

}  // namespace sotto::apps::live
