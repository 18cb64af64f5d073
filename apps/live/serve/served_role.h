// Runs one role of the decision service.
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
  std::optional<int> listen_descriptor;
  bool accept_rollback = false;  // at the dealer or helper: report no settled number when the first epoch opens
  RecoveryRequest recovery_request{};
  // At a party: the party's config of the service or run whose model this service begins from. Has no effect if the
  // service has already begun.
  std::shared_ptr<const RoleSettings> from{};
  bandit::ReadRunModel read_run{};
  LiveObserver observer{};
  // Any thread may call this function. If the function is empty, the lines go to stderr.
  std::function<void(const std::string&)> report{};
  // Any thread may call this function.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class ServedRole {
 public:
  // Reads the role's files, opens the role's store or makes a new store, and listens. `io` must outlive this object.
  // Throws InputError or ResourceError if one of these steps fails.
  ServedRole(const LiveConfig& config, net::Io& io, ServeExtras extras = {});
  ~ServedRole();
  ServedRole(const ServedRole&) = delete;
  ServedRole& operator=(const ServedRole&) = delete;

  void start();
  void stop();
  [[nodiscard]] LiveService& service();
  // Copies the store while the role runs, and returns when the copy is on the disk. Any thread may call this function.
  // Throws InputError if the folder already has a store, ResourceError if the copy cannot be written, and Interrupted
  // if `stop` is set.
  void back_up(const std::filesystem::path& into, const std::atomic<bool>& stop);
  // Changes the trusted certificates to those in `config`, from the next epoch on. Any thread may call this function.
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
  LiveConfig config_;  // trusted certificates in the config change only under `trust_mutex_`
  Descriptor port_;
  std::unique_ptr<LiveStore> store_;
  std::unique_ptr<TimedRows> rows_;
  std::unique_ptr<WindowCharges> charges_;
  std::unique_ptr<Engine> engine_;
};

// Makes the configs of a service whose roles all run on this machine, and the roles' keys in `folder`. Each role has a
// store ROLE-state and an HTTP interface at the Unix socket ROLE.sock in `folder`. Throws what make_local_keys()
// throws.
[[nodiscard]] std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder);

}  // namespace sotto::apps::live
