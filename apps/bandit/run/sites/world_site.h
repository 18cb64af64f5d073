// The inputs of a role in a run whose world is a simulator.
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

// A connection of a run to a world; such a connection is called a line. A world is a simulator that anybody may write.
// The simulator listens at a Unix socket and speaks JSON, one object per line.
//
//     sotto, once, after it connects      {"line":"party 0","columns":3,"steps":1000}
//                                         {"line":"world","arms":4,"rewards":"binary","steps":1000}
//     sotto, at the line of a party       {"step":t}                what is this party's part of context t?
//     the world                           {"x":[.1,0,-.5]}
//     sotto, at the line of the world     {"step":t,"arm":a}        arm a of step t was pulled
//     the world                           {"reward":1}
//
// Steps are numbered from 0. Answers come in the order of the questions, one per line. An answer may include the number
// of its step, which sotto then checks. The role that gets the rewards may have sent many arms before the first reward
// is due (batches), so a world may answer with each reward later. Each role has a line of its own, and receives nothing
// from the lines of other roles. A role that resumes after a crash repeats the questions for steps that it had asked
// about before.
//
// Errors are one line that names the world and the step. NetworkError: the world cannot be reached, closes the
// connection or stays silent. InputError: the answer of the world does not have the form above. No message shows any
// part of an answer.

struct WorldEnds {
  std::filesystem::path path;
  double connect_seconds = 30;  // the longest wait until somebody listens
  double answer_seconds = 30;   // the longest wait for an answer
  const std::atomic<bool>& interrupted;
};

class WorldLine {
 public:
  // Connects to the world, and sends `greeting`.
  WorldLine(WorldEnds ends, const std::string& greeting);

  // While sending, also receives the bytes that arrive, so that it cannot happen that sotto and the world both wait
  // until the other one reads.
  void send(const std::string& line);
  // The answer to the oldest unanswered question, about `step`.
  [[nodiscard]] std::string receive(std::uint64_t step);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return ends_.path; }

 private:
  void take_in(const std::string& until);

  WorldEnds ends_;
  Descriptor socket_;
  std::string heard_;  // bytes that are not yet read as answers
};

// These functions read and check answers; `where` names the world in errors. A row has `columns` finite numbers, whose
// norm is at most `norm`. A reward is 0 or 1 if `binary`; other rewards are from -1 to 1.
[[nodiscard]] std::vector<double> read_world_row(std::string_view answer, std::uint64_t step, std::size_t columns,
                                                 double norm, const std::string& where);
[[nodiscard]] double read_world_reward(std::string_view answer, std::uint64_t step, bool binary,
                                       const std::string& where);

// The bound that a party announces for the norm of its rows: max_norm / sqrt(parties), or max_norm itself if the config
// promises that joint rows are within max_norm.
[[nodiscard]] double world_bound(const BanditRun& run);

// The site of a compute party. The site requests each row once, and keeps the row until its step is done.
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

// The rewards of the arms.
[[nodiscard]] std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run,
                                                          const RoleInputs& inputs,
                                                          const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
