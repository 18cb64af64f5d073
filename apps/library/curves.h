// Curves as tables of pieces: for the sources of this folder.
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
  double bound;  // of the values
};

// The pieces of f for arguments of `bits` fraction bits. Plans of a name are remembered, by each thread; without a name
// they are made anew.
[[nodiscard]] CurvePlan plan_curve(const std::string& name, const Curve& curve, unsigned bits,
                                   const SessionOptions& options);

// The error that curves are planned for: `base`, or what fewer fraction bits than 20 leave of it.
[[nodiscard]] double curve_error(const Session& session, double base = 1.2e-5);

// f(x) for x within the curve's range. 2 rounds.
[[nodiscard]] Task<Secret> within_range(std::string name, Secret x, Curve curve);

// The same; beyond the range the constants. Where it is not said that x goes there, its bound tells.
struct Beyond {
  bool below = true;
  bool above = true;
};
[[nodiscard]] Task<Secret> apply_named(std::string name, Secret x, Curve curve, Beyond beyond);

}  // namespace sotto::detail
