// Plans curves as tables of pieces. Only the source files of this folder include this header.
#pragma once

#include <memory>
#include <string>

#include "sotto/functions.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/math/pieces.h"
#include "sotto/session.h"

namespace sotto::detail {

struct CurvePlan {
  std::shared_ptr<const protocols::Pieces> pieces;
  double bound;  // bound on the size of the curve's values
};

// The pieces of f for arguments with `bits` fraction bits. Each thread remembers the plans of the curves that have a
// name. The plan of a curve without a name is computed again every time.
[[nodiscard]] CurvePlan plan_curve(const std::string& name, const Curve& curve, unsigned bits,
                                   const SessionOptions& options);

// The largest error with which curves are planned: `base`, or more if the session has fewer than 20 fraction bits.
[[nodiscard]] double curve_error(const Session& session, double base = 1.2e-5);

// f(x) for x within the curve's range. This evaluation of f takes 2 rounds.
[[nodiscard]] Task<Secret> within_range(std::string name, Secret x, Curve curve);

// f(x) within the curve's range, and constants outside of it. If `below` is false, the caller promises that x is never
// below the range. If `above` is false, the caller promises that x is never above the range. If `below` or `above` is
// true, the bound of x decides whether x can leave the range at this end.
struct RangeEnds {
  bool below = true;
  bool above = true;
};
[[nodiscard]] Task<Secret> apply_named(std::string name, Secret x, Curve curve, RangeEnds beyond);

}  // namespace sotto::detail
