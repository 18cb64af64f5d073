#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/sites/site.h"
#include "core/system/descriptor.h"

namespace sotto::apps::bandit::run {

// A connection of a run to a world. A world is a simulator that listens at a Unix socket and speaks JSON, with one
// object per line of text.
//
//     sotto, once, after it connects      {"line":"party 0","columns":3,"steps":1000}
//                                         {"line":"world","arms":4,"rewards":"binary","steps":1000}
//     sotto, at a party                   {"step":t}                asks for this party's part of context t
//     the world answers                   {"x":[.1,0,-.5]}
//     sotto, at the rewarder              {"step":t,"arm":a}        arm a of step t was pulled
//     the world answers                   {"reward":1}
//
// Steps are numbered from 0. The world answers the questions in their order, with one line of text per answer. An
// answer may include the number of its step, and sotto then checks the number. In batches, sotto may send many arms
// before the first reward is due. Each role has its own connection to the world, and receives nothing from the
// connections of other roles. A role that resumes after a crash repeats the questions for steps about which it had
// already asked.
//
// An error message names the world and the step. NetworkError: the world cannot be reached, closes the connection or
// stays silent. InputError: the answer of the world does not have the form above. No message shows any part of an
// answer.

struct WorldEnds {
  std::filesystem::path path;
  double connect_seconds = 30;
  double answer_seconds = 30;
  const std::atomic<bool>& interrupted;
};

class WorldLine {
 public:
  WorldLine(WorldEnds ends, const std::string& greeting);

  // send() also receives bytes, because otherwise sotto and the world could wait for each other forever.
  void send(const std::string& line);
  // Returns the answer to the oldest unanswered question. This question must be about `step`.
  [[nodiscard]] std::string receive(std::uint64_t step);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return ends_.path; }

 private:
  void take_in(const std::string& until);

  WorldEnds ends_;
  Descriptor socket_;
  std::string received_;  // received bytes that receive() has not returned yet
};

// Both functions throw InputError for a wrong answer. A row must have `columns` finite numbers and a norm of at most
// `norm`. A reward must be 0 or 1 if `binary` is true, and in [-1, 1] if not.
[[nodiscard]] std::vector<double> read_world_row(std::string_view answer, std::uint64_t step, std::size_t columns,
                                                 double norm, const std::string& where);
[[nodiscard]] double read_world_reward(std::string_view answer, std::uint64_t step, bool binary,
                                       const std::string& where);

// Returns the bound that a party announces for the norm of its rows. The bound is max_norm if the config promises that
// joint rows are within max_norm, otherwise max_norm / sqrt(parties).
[[nodiscard]] double world_bound(const BanditRun& run);

// Requests each row from the world once.
class WorldPartySite final : public Contexts, public StepObserver {
 public:
  WorldPartySite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, unsigned fraction_bits,
                 const std::atomic<bool>& interrupted);
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override;
  void step_done(std::uint64_t step) override;

 private:
  WorldLine line_;
  double bound_;
  unsigned fraction_bits_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows_;
};

[[nodiscard]] std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run,
                                                          const RoleInputs& inputs,
                                                          const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
