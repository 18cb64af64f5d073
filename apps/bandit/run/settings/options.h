// What a user asks of a local run of the private bandit: the arguments of `sotto bandit` and `sotto plan`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/settings/settings.h"

namespace sotto::apps::bandit::run {

struct BanditOptions {
  std::vector<std::filesystem::path> parties;   // that bring features; run.computing_only more do not
  std::vector<std::filesystem::path> owners{};  // who bring features and do not compute
  std::filesystem::path environment;
  // Instead of these files: unix:PATH of a simulator (sites/world_site.h), and the columns of each party.
  std::string world{};
  std::vector<std::size_t> columns{};
  // Of the actor, instead of the environment: the run's task is then about it, and `reward_scale` is what its rewards
  // are divided by; without it, the least of one digit that holds all.
  std::filesystem::path log{};
  std::optional<double> reward_scale{};
  // The folder of an earlier run with checkpoints, whose model this one begins from.
  std::filesystem::path from{};
  // 0 steps: the rows, once each; 0 arms: those of the environment. joint_norm_holds is of a plan: a local run sees the
  // joint rows.
  BanditSettings run;
  std::uint64_t repeat = 1;
  bool compare_plaintext = false;
  bool keeps_model = false;    // one checkpoint at least, at the end, where there is a folder for it
  bool chooses_batch = false;  // --batch was left out, of a run that is one in batches
  bool compare_parts = false;  // what each party's features earn by themselves
  std::string pull_delay{};    // of the actor's answers (delay.h); empty: none
  std::string reward_delay{};  // of the rewarder's
  std::filesystem::path out;   // empty: the default, or nothing with json
  bool overwrite = false;      // what a run has finished there
  bool json = false;

  // Of all that bring features, in the order of FeatureHolders.
  [[nodiscard]] std::vector<std::filesystem::path> features() const {
    std::vector<std::filesystem::path> files = parties;
    files.insert(files.end(), owners.begin(), owners.end());
    return files;
  }
};

// What `sotto bandit` was asked for beside the settings in its roles' configs, kept with the state of a run, so that
// the run can be resumed from its folder alone: the input files with their digests, which must not have changed, and
// whether it is compared with plain text. A JSON file that appears by rename.

// Paths become absolute. Throws as write_file does, and InputError where an input file cannot be read.
void save_run(const std::filesystem::path& file, const BanditOptions& options);

// Throws InputError where the file is missing, is none that save_run() writes, or where an input file is not what it
// was.
[[nodiscard]] BanditOptions read_saved_run(const std::filesystem::path& file);

}  // namespace sotto::apps::bandit::run
