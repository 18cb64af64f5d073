#include "apps/live/serve/store_backups.h"

#include <utility>

#include "apps/kit/files/private_path.h"
#include "apps/live/api/problems.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

StoreBackups::~StoreBackups() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void StoreBackups::begin(const std::string& name, BackupDone done) {
  if (under_way_) return done(backup_under_way());
  if (thread_.joinable()) thread_.join();
  under_way_ = true;
  thread_ = std::thread([this, into = folder_ / name, done = std::move(done)] {
    std::optional<Problem> problem;
    try {
      make_private_folder(folder_);
      copy_(into, stop_);
    } catch (const InputError& error) {
      problem = backup_refused(error.what());
    } catch (const Interrupted&) {
      problem = problem_of(Trouble::ended);
    } catch (const std::exception& error) {
      problem = backup_failed(error.what());
    }
    io_.post([this, done, problem = std::move(problem)] {
      under_way_ = false;
      done(problem);
    });
  });
}

}  // namespace sotto::apps::live
