// Figure 6 (c) of Cao et al. 2022 on a Criteo log that the user has (bench/lab/data/criteo.h says how it becomes a
// bandit problem): the click-through rate of VFUCB, of central LinUCB and of LinUCB on a share of the features, by
// unbiased offline evaluation (apps/kit/learn/replay.h), relative to that of random play.
//
// Relative CTR = CTR / CTR_random, CTR_random being the mean over 5 random policies. A partial policy sees a random
// part of the 39 features, anew in each of 5 partitions. The log's advertisements were not shown at random, as theory
// asks for: the figures compare policies, and are no forecast of clicks.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/kit/learn/replay.h"
#include "bench/lab/data/criteo.h"

namespace sotto::apps::lab {

struct CriteoSettings {
  std::filesystem::path file;
  std::uint64_t rows = 1'000'000;  // of the file, from its start
  std::size_t arms = 40;
  CriteoUser scales = ones();  // of the user's features
  double beta = 0.6;
  double lambda = 1;
  std::size_t participants = 5;
  std::size_t partitions = 5;     // of each partial policy
  std::size_t random_states = 5;  // of random play
  std::uint64_t seed = 1;

  [[nodiscard]] static CriteoUser ones() {
    CriteoUser user;
    user.fill(1);
    return user;
  }
};

// What one policy came to, over its partitions or random states.
struct CriteoPolicy {
  std::string key;   // "vfucb", "linucb", "linucb_80", "linucb_20", "random"
  std::string name;  // for people
  std::size_t features = 0;
  std::vector<ReplayEstimate> runs;

  // Mean over the runs; a run that kept no event takes no part. Nothing where none did.
  [[nodiscard]] std::optional<double> ctr() const;
};

struct CriteoRuns {
  CriteoSettings settings;
  CriteoItems items;
  std::vector<CriteoPolicy> policies;
  // VFUCB and central LinUCB agreed on every event, though one sees masked contexts alone.
  bool arms_equal = true;

  [[nodiscard]] const CriteoPolicy& policy(const std::string& key) const;
  // CTR / CTR_random, of that policy's runs; nothing where random play got no click.
  [[nodiscard]] std::vector<double> relative_ctr(const std::string& key) const;
};

// Two passes over the file. InputError for a file that cannot be used.
[[nodiscard]] CriteoRuns run_criteo(const CriteoSettings& settings, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
