// Backups of a role that runs: copies of its store, one at a time, on a thread of their own.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "apps/live/api/api_context.h"
#include "sotto/protocol/transport/io.h"

namespace sotto::apps::live {

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

}  // namespace sotto::apps::live
