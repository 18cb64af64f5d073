// Clients whose steps were logged. Each client has one CSV file, with a row for each arm of each step:
// t,arm,<features>,reward[,mean].
//
// Steps are numbered from 0 or from 1, and arms from 0. Rows may be in any order (apps/prepare/data/contexts.h). All
// files must have the same features in the same order, the same arms and the same number of steps. `mean` is the
// expected reward, from which regret is computed. Without `mean`, regret is computed from the clipped rewards, against
// the arm that had the best reward in each step.
//
// A feature vector longer than the bound is scaled to the bound. The vector is counted if its norm exceeds the bound by
// more than one part in 100,000. An InputError names file:line and never shows a number from the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "apps/robin/instance.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

struct ClientLogs {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> features;
  std::size_t arms = 0;
  std::uint64_t steps = 0;
  bool has_means = false;
  std::shared_ptr<const RobinInstance> instance;  // client i is file i
};

// Throws InputError for a bad file, and if two names mean the same file, because one client would then count as two
// clients.
[[nodiscard]] ClientLogs read_client_logs(const std::vector<std::filesystem::path>& files, double bound = 1,
                                          double reward_bound = std::numeric_limits<double>::infinity());

// Sets dimension, arms and clients from the logs, and the horizon unless `horizon_given` is true. A given horizon must
// not be longer than the logs. Throws InputError for fewer than 2 files.
[[nodiscard]] RobinSettings with_logs(RobinSettings settings, const ClientLogs& logs, bool horizon_given);

}  // namespace sotto::apps::robin
