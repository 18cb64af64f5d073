// What an evaluation opens to the actor, and nothing else: sums over all events that are evaluated.
//
// Of event t with the arm a that was logged, its reward r and its weight v, one over the propensity of a; with the arm g
// that the model holds best and its estimates s of what arms earn:
//     w = v where g is a, else 0        y = w r        d = s_g (1 - w) + y
// and of each arm b, with v_b = v where b is a, else 0:     d_b = s_b (1 - v_b) + v_b r.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto::apps {

struct OpenedSums {
  std::uint64_t events = 0;
  double y = 0, w = 0;
  double yy = 0, yw = 0, ww = 0;
  double d = 0, dd = 0;
  std::vector<double> arms, arm_squares;  // of d_b
};

}  // namespace sotto::apps
