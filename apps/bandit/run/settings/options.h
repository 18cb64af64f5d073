// The options of a local run of the private bandit: the arguments of `sotto bandit` and `sotto plan`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/twin/plain_plays.h"
#include "apps/bandit/run/settings/money.h"
#include "apps/bandit/run/settings/settings.h"

namespace sotto::apps::bandit::run {

struct BanditOptions {
  // The files of the parties that bring features; run.computing_only further parties bring no features.
  std::vector<std::filesystem::path> parties;
  std::vector<std::filesystem::path> owners{};  // files of the owners, which bring features and do not compute
  std::filesystem::path environment;
  // Instead of files of features and rewards: unix:PATH of a simulator (sites/world_site.h), and the number of each
  // party's columns.
  std::string world{};
  std::vector<std::size_t> columns{};
  // The actor's log, instead of the environment. With a log, the task of the run is about the log, and rewards are
  // divided by `reward_scale`. Without reward_scale, the scale is the smallest one-digit number that no reward exceeds
  // in size.
  std::filesystem::path log{};
  std::optional<double> reward_scale{};
  // The folder of an earlier run with checkpoints. This run begins from the model of the earlier run.
  std::filesystem::path from{};
  // 0 steps means the number of rows, and 0 arms means the number of arms in the environment. joint_norm_holds is only
  // for a plan, because a local run checks the joint rows.
  BanditSettings run;
  std::uint64_t repeat = 1;
  bool compare_plaintext = false;
  bool keeps_model = false;           // whether the run makes a checkpoint at its end, if there is a folder for it
  bool chooses_batch = false;         // whether the program chooses the batch, because the user left out --batch
  bool compare_parts = true;          // whether each company's features are also played by themselves, in plain text
  PlayTimes plain_plays{20, 100, 2};  // for each policy in plain text; no plays if the least number is 0
  std::optional<std::size_t> baseline{};  // the arm that the run is compared with
  MoneyTerms money{};                     // without a unit, nothing is said in money
  std::string pull_delay{};               // delay of the actor's answers (answer_delay.h); empty: none
  std::string reward_delay{};             // delay of the rewarder's answers
  std::filesystem::path out;              // empty: the default folder, or with json no folder
  bool overwrite = false;                 // whether this run may overwrite a finished run in the folder `out`
  bool json = false;

  // The files of all holders of features, in the order of FeatureHolders.
  [[nodiscard]] std::vector<std::filesystem::path> features() const {
    std::vector<std::filesystem::path> files = parties;
    files.insert(files.end(), owners.begin(), owners.end());
    return files;
  }
};

// The options of `sotto bandit` that are not in the configs of its roles. These options are kept with the state of a
// run, so that the folder of the run is enough to resume it. Among the options are the input files with their digests,
// which must not have changed, and whether the run is compared with plain text. The JSON file is written under another
// name and then renamed.

// Paths become absolute. Throws as write_file does, and InputError if an input file cannot be read.
void save_run(const std::filesystem::path& file, const BanditOptions& options);

// Throws InputError if the file is missing or was not written by save_run(), or if an input file has changed.
[[nodiscard]] BanditOptions read_saved_run(const std::filesystem::path& file);

}  // namespace sotto::apps::bandit::run
