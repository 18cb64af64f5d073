// Clients whose steps were logged: one CSV file for each client (apps/kit/files/table.h), with a row for each arm of
// each step: t,arm,<features>,reward[,mean].
//
// Steps are numbered from 0 or from 1, and arms from 0. Rows may be in any order (apps/prepare/data/contexts.h). Every
// other column is a feature. All files have the same features in the same order, the same arms and the same number of
// steps. `reward` is the reward that the arm earned, or would have earned. `mean` is the expected reward, from which
// regret is computed. Without the column `mean`, regret is computed from the rewards themselves, against the best arm
// of each step in hindsight.
//
// A feature vector longer than the bound is scaled to the bound. The number of scaled vectors is counted. A vector
// whose norm exceeds the bound by at most one part in 100,000 is not counted, because rounding to few digits explains
// this excess. Rewards are clipped when they are played (apps/robin/client_pool.h); without means, regret is computed
// from clipped rewards too. Errors are InputErrors that name file:line and never show a number from the file.
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

// Reads all files into memory. `bound` and `reward_bound` have the same meaning as in RobinSettings. Throws InputError
// also if a file is given twice, even under two names, because one client would then be treated as two clients.
[[nodiscard]] ClientLogs read_client_logs(const std::vector<std::filesystem::path>& files, double bound = 1,
                                          double reward_bound = std::numeric_limits<double>::infinity());

// Fills in dimension and arms from the logs, and sets clients to the number of files. Fills in the horizon too, unless
// `horizon_given` is true. A given horizon must not be longer than the logs. Throws InputError for fewer than 2 files.
[[nodiscard]] RobinSettings with_logs(RobinSettings settings, const ClientLogs& logs, bool horizon_given);

}  // namespace sotto::apps::robin
