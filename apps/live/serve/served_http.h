// The HTTP interface of a role as its config describes it.
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

// Backups of a role that runs: copies of its store, one at a time, on a thread of their own.

class StoreBackups {
 public:
  using Copy = std::function<void(const std::filesystem::path& into, const std::atomic<bool>& stop)>;
  // Into folders of `folder`, by their names. `copy` is called on the thread. All must outlive this.
  StoreBackups(net::Io& io, std::filesystem::path folder, Copy copy)
      : io_(io), folder_(std::move(folder)), copy_(std::move(copy)) {}
  // What is under way is given up.
  ~StoreBackups();
  StoreBackups(const StoreBackups&) = delete;
  StoreBackups& operator=(const StoreBackups&) = delete;

  // On the Io's thread, as `done` is called.
  void begin(const std::string& name, BackupDone done);

 private:
  net::Io& io_;
  std::filesystem::path folder_;
  Copy copy_;
  std::atomic<bool> stop_{false};
  bool under_way_ = false;  // the Io's thread
  std::thread thread_;
};

// What [http], [features] and the run say. Reads the role's key where http.tls is set, and a party's columns. Throws
// InputError.
[[nodiscard]] LiveHttpConfig http_config(const LiveConfig& config);

// On the service of a role of that config. What fails is in the log, at debug each answer: its path's pattern, its
// status and its time. `backups`, if any, outlives it. As LiveHttp's constructors.
[[nodiscard]] std::unique_ptr<LiveHttp> serve_http(net::Io& io, const LiveConfig& config, LiveService& service,
                                                   Metrics& metrics, const Log& log, StoreBackups* backups = nullptr);

}  // namespace sotto::apps::live
