#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "apps/kit/program/say.h"
#include "apps/live/api/api_context.h"
#include "apps/live/api/live_http.h"
#include "apps/live/config/live_config.h"
#include "sotto/protocol/transport/io.h"

namespace sotto::apps::live {

// Copies the store of a running role, one copy at a time, on a separate thread.

class StoreBackups {
 public:
  using Copy = std::function<void(const std::filesystem::path& into, const std::atomic<bool>& stop)>;
  // Each copy goes into a folder inside `folder`, with the name of the backup. `copy` is called on the separate thread.
  // All arguments must outlive this object.
  StoreBackups(net::Io& io, std::filesystem::path folder, Copy copy)
      : io_(io), folder_(std::move(folder)), copy_(std::move(copy)) {}
  ~StoreBackups();
  StoreBackups(const StoreBackups&) = delete;
  StoreBackups& operator=(const StoreBackups&) = delete;

  // Call on the Io's thread. `done` is also called on the Io's thread.
  void begin(const std::string& name, BackupDone done);

 private:
  net::Io& io_;
  std::filesystem::path folder_;
  Copy copy_;
  std::atomic<bool> stop_{false};
  bool under_way_ = false;  // used on the Io's thread
  std::thread thread_;
};

[[nodiscard]] LiveHttpConfig http_config(const LiveConfig& config);

// If `backups` is not null, it must outlive the result. Throws what the constructors of LiveHttp throw.
[[nodiscard]] std::unique_ptr<LiveHttp> serve_http(net::Io& io, const LiveConfig& config, LiveService& service,
                                                   Metrics& metrics, const Log& log, StoreBackups* backups = nullptr);

}  // namespace sotto::apps::live
