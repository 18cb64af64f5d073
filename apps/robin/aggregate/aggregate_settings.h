// The settings of one private mean (aggregate.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/kit/dp/budget.h"

namespace sotto::apps::robin {

inline constexpr double most_bins = 0x1p20;

enum class NoiseKind : std::uint8_t { laplace, gaussian };

struct AggregateSettings {
  std::size_t dimension = 1;
  double bound = 1;  // on the Euclidean norm of an estimate
  double tau = 0;    // most estimates are within tau of their mean, in every rotated coordinate
  NoiseKind noise = NoiseKind::gaussian;
  ReleaseShare share;  // of this release: Budget::share()
  // Clip round this estimate (the last release) instead of a private range.
  std::optional<std::vector<double>> around;
};

}  // namespace sotto::apps::robin
