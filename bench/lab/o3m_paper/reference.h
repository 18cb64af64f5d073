// The figures that a reproduction must come to: computed beforehand by an independent plain-text implementation of the
// same experiment (double precision, other seeds), and the statements of Cao et al. 2022 about their figure 5 that can
// be checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/provenance.h"
#include "sotto/bench/lab/o3m_paper/regret.h"

namespace sotto::apps {

// Cumulative regret after 5000 steps, d = 100, K = 10.
struct RegretReference {
  double noise_variance = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  PaperPolicy policy = PaperPolicy::central;
  double mean = 0;
  double spread = 0;  // one standard deviation over repeats
};

[[nodiscard]] const std::vector<RegretReference>& regret_references();

// The mean of our repeats, give or take two of its standard errors, is within the reference's spread of the reference's
// mean. Nothing where the run is not of the setting that the reference is for, or has no such policy.
[[nodiscard]] std::vector<Check> check_regret(const RegretRuns& runs);
// The masked bandit pulls the arms of its central twin, and scores agree to 1e-9.
[[nodiscard]] std::vector<Check> check_lossless(const RegretRuns& runs);
// What the paper says about figure 5.
[[nodiscard]] std::vector<Check> check_cost_model();

// "LinUCB", "VFUCB", "LinUCB, 20% of the features", "uniform play".
[[nodiscard]] std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy);
// "noise sd 0.05" or "noise variance 0.05".
[[nodiscard]] std::string noise_name(double noise_sd);

}  // namespace sotto::apps
