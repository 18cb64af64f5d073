// What a role brings to a run whose world is a simulator.
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

// One line of a run to a world: a simulator of anybody's, which listens at a Unix socket and speaks JSON, a line each.
//
//     sotto, once, after it connects      {"line":"party 0","columns":3,"steps":1000}
//                                         {"line":"world","arms":4,"rewards":"binary","steps":1000}
//     sotto, at the line of a party       {"step":t}                what is this party's part of context t?
//     the world                           {"x":[.1,0,-.5]}
//     sotto, at the line of the world     {"step":t,"arm":a}        arm a of step t was pulled
//     the world                           {"reward":1}
//
// Steps count from 0. Answers come in the order of the questions, a line each, and may say their step as well, which is
// then compared. Who gets the rewards may have told many arms before the first reward is due (batches), so a world may
// take its time with each. Each role has a line of its own, and knows nothing of the others'. A role that goes on after
// a crash asks once more for steps that it had asked before.
//
// Errors, one line that names the world and the step: NetworkError where it cannot be reached, goes away or stays
// silent, InputError where its answer is not as above. Nothing of an answer is in a message.

struct WorldEnds {
  std::filesystem::path path;
  double connect_seconds = 30;  // how long to wait until somebody listens
  double answer_seconds = 30;   // for each answer
  const std::atomic<bool>& interrupted;
};

class WorldLine {
 public:
  // Connects, and says `greeting`.
  WorldLine(WorldEnds ends, const std::string& greeting);

  // Takes in meanwhile what comes, so that neither side waits for the other to read.
  void send(const std::string& line);
  // The answer to the oldest question without one, about `step`.
  [[nodiscard]] std::string receive(std::uint64_t step);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return ends_.path; }

 private:
  void take_in(const std::string& until);

  WorldEnds ends_;
  Descriptor socket_;
  std::string heard_;  // not yet answers
};

// The answers, as they must be; `where` is the world. A row of `columns` finite numbers, whose norm is at most `norm`;
// a reward of 0 or 1, or from -1 to 1.
[[nodiscard]] std::vector<double> read_world_row(std::string_view answer, std::uint64_t step, std::size_t columns,
                                                 double norm, const std::string& where);
[[nodiscard]] double read_world_reward(std::string_view answer, std::uint64_t step, bool binary,
                                       const std::string& where);

// The bound on the norm of a party's rows, which it announces: max_norm / sqrt(parties), or max_norm itself where
// somebody promises that joint rows keep to it.
[[nodiscard]] double world_bound(const BanditRun& run);

// A compute party: each row is asked for once, and kept until its step is done.
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

// What the arms earn.
[[nodiscard]] std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run,
                                                          const RoleInputs& inputs,
                                                          const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
