// The figures that a reproduction must come to: computed beforehand by an independent plain-text implementation of
// ROBIN (double precision, other seeds, 3 to 5 of them), T = 8190, delta 1e-5.
//
// The account here is a tight one, so that noise may be smaller than the reference's for the same epsilon: less regret
// than the reference's counts as within, and is named better. Where it let runs go wrong, ours must refuse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/provenance.h"
#include "sotto/bench/lab/robin_paper/experiment.h"

namespace sotto::apps {

struct RobinReference {
  std::size_t dimension = 4;
  std::size_t clients = 0;
  double epsilon = 0;
  double mean = 0;
  std::optional<double> spread{};  // one standard deviation over seeds, where it is known
};

[[nodiscard]] const std::vector<RobinReference>& robin_references();

// What is within is said below the table (tables.cc). Nothing where the horizon is another one.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps
