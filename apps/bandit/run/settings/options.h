// The arguments of `sotto bandit` and `sotto plan`.
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
  std::vector<std::filesystem::path> parties;
  std::vector<std::filesystem::path> owners{};
  std::filesystem::path environment;
  std::string world{};
  std::vector<std::size_t> columns{};
  std::filesystem::path log{};
  std::optional<double> reward_scale{};
  std::filesystem::path from{};
  // If `steps` is 0, the run has one step per row. If `arms` is 0, the run has the arms of the environment.
  BanditSettings run;
  std::uint64_t repeat = 1;
  bool compare_plaintext = false;
  bool keeps_model = false;    // whether the run ends with a checkpoint
  bool chooses_batch = false;  // whether the program chooses the batch, because there is no --batch
  bool compare_parts = true;
  PlayTimes plain_plays = usual_plays;
  std::optional<std::size_t> baseline{};
  MoneyTerms money{};  // unused if its unit is empty
  std::string pull_delay{};
  std::string reward_delay{};
  std::filesystem::path out;  // empty: the default folder
  bool overwrite = false;
  bool json = false;

  [[nodiscard]] std::vector<std::filesystem::path> features() const {
    std::vector<std::filesystem::path> files = parties;
    files.insert(files.end(), owners.begin(), owners.end());
    return files;
  }
};

// Saves the options that are not in the configs of the roles, and the digests of the input files. The function writes
// the JSON file under a temporary name and then renames it.
void save_run(const std::filesystem::path& file, const BanditOptions& options);

// Throws InputError if the file was not written by save_run(), or if an input file has changed.
[[nodiscard]] BanditOptions read_saved_run(const std::filesystem::path& file);

}  // namespace sotto::apps::bandit::run
