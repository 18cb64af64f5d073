// Plans curves as tables of pieces.
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
  double bound;  // bound on the absolute values of the curve
};

// Returns the pieces of f for arguments with `bits` fraction bits. Each thread remembers the plans of curves with a
// name.
[[nodiscard]] CurvePlan plan_curve(const std::string& name, const Curve& curve, unsigned bits,
                                   const SessionOptions& options);

// Returns the error of a curve: `base`, or more in a session with fewer than 20 fraction bits.
[[nodiscard]] double curve_error(const Session& session, double base = 1.2e-5);

// 2 rounds.
[[nodiscard]] Task<Secret> within_range(std::string name, Secret x, Curve curve);

// A curve has the constant value curve.below below its range, and curve.above above its range. If the member `below` or
// `above` is false, the caller promises that x does not leave the range at that end.
struct RangeEnds {
  bool below = true;
  bool above = true;
};
[[nodiscard]] Task<Secret> apply_named(std::string name, Secret x, Curve curve, RangeEnds beyond);

}  // namespace sotto::detail
