// The figures that a reproduction must come to: an independent computation in double precision (figure 7: in integers),
// with other seeds. The paper draws its figures without numbers; where its text has some, they are among the checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sotto::apps::lab {

struct HannunRewardReference {
  double epsilon;
  std::vector<double> means;  // after each of the steps
  double sd;                  // over seeds, at the last of the steps; 0: not known
};
struct HannunReference {
  std::size_t seeds;
  std::vector<std::uint64_t> steps;
  std::vector<HannunRewardReference> rewards;
};
// Figures 1 and 2, of MNIST or the digits.
[[nodiscard]] const HannunReference& hannun_reference(bool is_mnist);

// Figure 5, a number of arms.
struct HannunArmsReference {
  std::size_t arms;
  double best;
  double uniform;
  std::vector<std::pair<double, double>> rewards;  // epsilon, mean
};

inline constexpr std::size_t hannun_arms_seeds = 3;

[[nodiscard]] const std::vector<HannunArmsReference>& hannun_arms_references(bool is_mnist);

// Figure 6, whatever the epsilon: the advantage of the rule by reward.
struct HannunAttackReference {
  std::uint64_t steps;
  double low, high;
};

[[nodiscard]] const std::vector<HannunAttackReference>& hannun_attack_references(bool is_mnist);

// Figure 7, all with an exact reciprocal. Nothing where a run collapses.
struct HannunPrecisionReference {
  unsigned bits;
  std::optional<double> published, unbiased, nearest, floor;
};

[[nodiscard]] const std::vector<HannunPrecisionReference>& hannun_precision_references(bool is_mnist);

}  // namespace sotto::apps::lab
