// What a role remembers of earlier epochs of a run, and where the run goes on.
//
// A run that is resumed after a crash opens a new epoch: with masks of its own, from a step whose
// state all roles still have. Each role says what it has (Standing) in its hello; what follows from
// all of them together (Opening) is agreed in the confirm frames.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto::net {

struct Standing {
  // It keeps state: a party, or the role that gets the rewards, with a store.
  bool stateful = false;
  std::uint32_t epoch = 0;                 // the last that it opened; 0: none
  std::vector<std::uint64_t> checkpoints;  // steps done at each, ascending; at most 2
  std::uint64_t begun = 0;                 // steps that it has ever begun

  friend bool operator==(const Standing&, const Standing&) = default;
};

struct Opening {
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // steps that the state at the start has behind it
  std::uint64_t repeated = 0;   // steps that had begun and are done once more

  friend bool operator==(const Opening&, const Opening&) = default;
};

}  // namespace sotto::net
