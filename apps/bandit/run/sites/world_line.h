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
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/descriptor.h"

namespace sotto::apps::bandit::run {

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

}  // namespace sotto::apps::bandit::run
