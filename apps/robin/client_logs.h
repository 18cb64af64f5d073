// Clients whose steps were logged: one CSV file a client (apps/data/table.h), a row for each arm of each
// step: t,arm,<features>,reward[,mean].
//
// Steps count from 0 or from 1, arms from 0; rows come in any order. Every column of another name is a
// feature; all files have the same features, in the same order, and the same arms and steps. `reward` is
// what the arm earned, or would have. `mean` is its expected reward, of which regret is computed; without
// the column it is computed of the rewards themselves, against the best arm of each step in hindsight.
//
// A feature vector longer than the bound is scaled to it, a reward beyond the reward bound is clipped,
// and both are counted. Errors are InputError and name file:line; they never show a number of the file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/robin/instance.h"

namespace sotto::apps {

struct ClientLogs {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> features;
  std::size_t arms = 0;
  std::uint64_t steps = 0;
  bool has_means = false;
  std::shared_ptr<const RobinInstance> instance;  // client i is file i
};

// `bound` as in RobinSettings. Reads all files into memory.
[[nodiscard]] ClientLogs read_client_logs(const std::vector<std::filesystem::path>& files,
                                          double bound);

// Clients (where at least 2 files are there), dimension and arms of the logs; the horizon too, unless
// `horizon_given`, which must then not be beyond it. InputError where features are too many.
[[nodiscard]] RobinSettings with_logs(RobinSettings settings, const ClientLogs& logs,
                                      bool horizon_given);

}  // namespace sotto::apps
