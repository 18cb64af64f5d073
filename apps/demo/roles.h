// The private run of the demo. The dealer, the two parties and the actor are a process each, which has the role's name.
// They talk over TLS, with keys that are made for the run. All processes begin as copies of one that has all data and
// keys, as this machine has them; a role uses only its own. `sotto demo` starts each role from files of its own.
//
// A role measures, and leaves its figures in memory that all processes share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/demo/digits.h"
#include "apps/kit/report/reward_curve.h"

namespace sotto::apps::bandit::demo {

// The shared memory has the bytes of this struct, so no member may own other memory.
struct RoleFigures {
  double online_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t step_rounds = 0;
  std::uint64_t step_bytes_sent = 0;
  std::uint64_t step_dealt_bytes = 0;
  std::uint64_t bytes_sent = 0;  // in the whole run
  std::uint64_t peak_memory_bytes = 0;
  std::array<CurvePoint, 256> curve{};  // of the actor, which sees the rewards
  std::size_t curve_points = 0;
  std::array<char, 512> error{};  // one line; empty if the role has ended well
};

struct DemoRun {
  std::vector<RoleFigures> parties;
  RoleFigures dealer;
  RoleFigures actor;
};

// Plays the run of `plan`, a plan of single steps. Throws ResourceError if the system gives no process, port or memory,
// and an Error with the first message of a role that failed.
[[nodiscard]] DemoRun play(const Digits& digits, const BanditPlan& plan);

}  // namespace sotto::apps::bandit::demo
