// What an evaluation opens to the actor, and nothing else: sums over all events that are evaluated.
//
// The sums have no noise, and the actor chooses the arms, weights and rewards that go into them. An event whose terms
// are constants, such as one at weight 1, adds nothing unknown; where all events but one are such, the sums are those
// of one customer. So they hide no single event from the actor, however many there are.
//
// Of event t with the arm a that was logged, its reward r and its weight v, one over the propensity of a; with the arm
// g that the model holds best and its estimates s of what arms earn:
//     w = v where g is a, else 0        y = w r        d = s_g (1 - w) + y
// and of each arm b, with v_b = v where b is a, else 0:     d_b = s_b (1 - v_b) + v_b r.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto::apps::bandit {

// What everybody who brings features to an evaluation is told, in help, pages and at the start of such a role.
inline constexpr const char* single_customer_warning =
    "The owner of the log can read a single customer's features, estimates and greedy arm from one evaluation, because "
    "it "
    "chooses which events are constants, and the sums have no noise. Give evaluations only to an owner that may know "
    "these "
    "features.";

struct OpenedSums {
  std::uint64_t events = 0;
  double y = 0, w = 0;
  double yy = 0, yw = 0, ww = 0;
  double d = 0, dd = 0;
  std::vector<double> arms, arm_squares;  // of d_b
};

}  // namespace sotto::apps::bandit
