// Clients whose steps were logged: one CSV file a client (apps/kit/files/table.h), a row for each arm of each step:
// t,arm,<features>,reward[,mean].
//
// Steps count from 0 or from 1, arms from 0; rows come in any order (apps/prepare/data/contexts.h). Every column of
// another name is a feature; all files have the same features in the same order, the same arms and as many steps.
// `reward` is what the arm earned, or would have. `mean` is its expected reward, of which regret is computed; without
// that column it is computed of the rewards themselves, against the best arm of each step in hindsight.
//
// A feature vector longer than the bound is scaled to it, and counted unless digits that were left out explain it (one
// part in 100,000). Rewards are clipped as they are played (apps/robin/client_pool.h); where there are no means, regret
// is computed of clipped rewards as well. Errors are InputError and name file:line; they never show a number of the
// file.
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

// Reads all files into memory. The bounds are those of RobinSettings. InputError also where a file is there twice, by
// whatever name: it would be one client that counts as two.
[[nodiscard]] ClientLogs read_client_logs(const std::vector<std::filesystem::path>& files, double bound = 1,
                                          double reward_bound = std::numeric_limits<double>::infinity());

// Dimension and arms of the logs, and as many clients as there are files; the horizon too, unless `horizon_given`,
// which may then not go beyond the logs. InputError for fewer than 2 files.
[[nodiscard]] RobinSettings with_logs(RobinSettings settings, const ClientLogs& logs, bool horizon_given);

}  // namespace sotto::apps::robin
