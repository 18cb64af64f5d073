// `sotto prepare log` converts an exported log into the log that a run reads.
//
// The exported log has one row per event, in columns of any names. Arms may have names, one customer may be in many
// events, and rewards may be missing. The output folder gets log.csv (apps/bandit/run/log/event_log.h) and, if the log
// has ids, events.csv: the ids of the events alone, for `sotto prepare party --events`. Either all files appear or
// none.
//
// Throws InputError for options or tables that do not fit (naming the flag or file:line:cell, and never showing a
// cell), and ResourceError if the files cannot be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/cell.h"

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

struct PrepareLogOptions {
  std::filesystem::path table;
  bool has_header = true;
  std::vector<std::string> id{};  // names of the columns that make an event's id together
  std::string arm = "arm";        // this and the next three are names of columns
  std::string reward = "reward";
  std::optional<std::string> propensity{};
  std::vector<std::string> keep{};       // further columns of log.csv, such as a segment
  std::vector<std::string> arms{};       // names of the arms in the order of their numbers; empty: those of the log
  std::optional<double> default_reward;  // reward of an event without a reward
  bool leave_out = false;                // whether events without a reward are left out
  CellForm form{};
  std::filesystem::path output;  // a folder, which is made if it does not exist
};

struct PrepareLogResult {
  std::filesystem::path log_file;
  std::optional<std::filesystem::path> events_file;
  std::size_t events = 0;            // number of events in log.csv
  std::size_t customers = 0;         // number of distinct ids, 0 without ids
  std::size_t arms = 0;              // number of arms
  std::vector<std::string> names{};  // the name of each arm; empty if the log has numbers of arms
  std::size_t missing_rewards = 0;   // events without a reward in the exported log
  std::vector<std::string> warnings{};
};

[[nodiscard]] PrepareLogResult prepare_log(const PrepareLogOptions& options);

// Adds `sotto prepare log` to the command `sotto prepare`.
void add_prepare_log_command(Command& prepare);

}  // namespace sotto::apps::prepare
