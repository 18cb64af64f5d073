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
  // Copies go into folders of `folder`, by their names. `copy` is called on the thread. All arguments must outlive
  // this.
  StoreBackups(net::Io& io, std::filesystem::path folder, Copy copy)
      : io_(io), folder_(std::move(folder)), copy_(std::move(copy)) {}
  // Gives up a copy that is under way.
  ~StoreBackups();
  StoreBackups(const StoreBackups&) = delete;
  StoreBackups& operator=(const StoreBackups&) = delete;

  // Call on the Io's thread, on which `done` is called as well.
  void begin(const std::string& name, BackupDone done);

 private:
  net::Io& io_;
  std::filesystem::path folder_;
  Copy copy_;
  std::atomic<bool> stop_{false};
  bool under_way_ = false;  // used on the Io's thread
  std::thread thread_;
};

// The HTTP config from [http], [features] and the run. Reads the role's key if http.tls is set, and a party's columns.
// Throws InputError.
[[nodiscard]] LiveHttpConfig http_config(const LiveConfig& config);

// Serves HTTP for the service of a role of that config. Failures go into the log. At level debug each answer does too:
// the pattern of its path, its status and its time. If `backups` is given, it must outlive the result. Throws as
// LiveHttp's constructors do.
[[nodiscard]] std::unique_ptr<LiveHttp> serve_http(net::Io& io, const LiveConfig& config, LiveService& service,
                                                   Metrics& metrics, const Log& log, StoreBackups* backups = nullptr);

}  // namespace sotto::apps::live
