// The run parameters of the private bandit, and the widths, scales and rounds that follow from them.
//
// Every role has the parameters before the first round (from its config and from what the handshake announced), and the
// handshake compares their digest. Control flow, shapes and draws depend on nothing else.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::apps::bandit {

// A decision service has all of these roles except owners.
enum class BanditRole : std::uint8_t { party, dealer, actor, rewarder, helper, owner };

inline constexpr NodeNames bandit_names{.outside = "actor", .further = "rewarder"};

using sotto::name_of;
using sotto::RandomnessBy;

[[nodiscard]] inline Topology bandit_topology(std::size_t parties, bool separate_rewarder,
                                              RandomnessBy by = RandomnessBy::dealer, std::size_t owners = 0) {
  const Topology topology = topology_of(by, parties, true, separate_rewarder, bandit_names);
  // require_randomness() refuses impossible owners before anything runs.
  return cast_of(by).may_have_owners ? topology.with_owners(owners) : topology;
}
// The actor pulls the opened arm, and the rewarder gets the reward. The actor and the rewarder are one node unless the
// topology has a further node.
[[nodiscard]] inline NodeId actor_of(const Topology& topology) { return topology.outside_node(); }
[[nodiscard]] inline NodeId rewarder_of(const Topology& topology) {
  return topology.has_further_node() ? topology.further_node() : topology.outside_node();
}

// The task of a run: to play, or to learn from a log of earlier plays. `evaluate` learns from a part of the log, and
// says what the model would have earned in the rest of the log.
enum class BanditTask : std::uint8_t { play, learn, evaluate };
constexpr auto names_of(BanditTask) {
  return std::array{std::pair{BanditTask::play, "play"}, std::pair{BanditTask::learn, "learn"},
                    std::pair{BanditTask::evaluate, "evaluate"}};
}

// Fraction bits of the four parts of a model in shares (learned_model.h).
struct ModelBits {
  unsigned gram;     // A
  unsigned targets;  // b
  unsigned inverse;  // W
  unsigned weights;  // w

  friend bool operator==(const ModelBits&, const ModelBits&) = default;
};

// Fraction bits of A and b in shares, if an imported model has more bits than the service uses. The first learn rounds
// A and b to the bits of the service. Zeros mean that A and b already have the bits of the service.
struct SumBits {
  std::uint8_t gram = 0;
  std::uint8_t targets = 0;

  [[nodiscard]] bool any() const noexcept { return gram > 0 || targets > 0; }
  friend bool operator==(const SumBits&, const SumBits&) = default;
};

// The terms of evaluating a log (evaluate/private_evaluation.h).
struct HeldOut {
  std::uint64_t events = 0;  // number of evaluated events: the last steps of the run; earlier steps are learned
  std::size_t cells = 30;    // number of cells; agreements with the model are counted in each cell
  bool in_one_bit = false;   // the counts stay in shares, and the actor learns the answer to one question about them

  friend bool operator==(const HeldOut&, const HeldOut&) = default;
};

// The roles that bring a run's features: the compute parties except the last `computing_only`, then owners, which
// compute nothing. Holders are numbered in this order.
struct FeatureHolders {
  std::size_t parties = 0;  // all compute parties
  std::size_t computing_only = 0;
  std::size_t owners = 0;

  static constexpr std::size_t most = 8;
  [[nodiscard]] std::size_t count() const { return parties - computing_only + owners; }
  [[nodiscard]] NodeId node(std::size_t holder) const {
    return static_cast<NodeId>(holder < parties - computing_only ? holder : holder + computing_only);
  }
  [[nodiscard]] bool brings(NodeId node) const {
    return node < parties - computing_only || (node >= parties && node < parties + owners);
  }
};

// Throws InputError, at `where`, if a run cannot have these holders of features.
void require_holders(const FeatureHolders& holders, const std::string& where);

// The arms for which a single step computes an update: all arms, or only the pulled arm, which is selected first
// (step/single_step.h).
enum class StepUpdate : std::uint8_t { all_arms, pulled_arm };
constexpr auto names_of(StepUpdate) {
  return std::array{std::pair{StepUpdate::all_arms, "all-arms"}, std::pair{StepUpdate::pulled_arm, "pulled-arm"}};
}

struct BanditParameters {
  std::vector<std::size_t> columns;  // number of columns of each holder of features, each at least 1
  std::size_t computing_only = 0;    // number of compute parties that bring no features
  std::size_t owners = 0;            // number of owners; they are the last holders, and are not compute parties
  std::size_t arms = 0;              // at least 1
  std::uint64_t steps = 0;           // at least 1
  double max_norm = 1;               // R: |x| <= R, at most 8
  bool binary_rewards = true;        // whether all rewards are 0 or 1; if not, they are real in [-1, 1]
  unsigned fraction_bits = 20;       // the most fraction bits of features; all other widths follow from the bounds
  Exploration exploration{};
  bool reveal_model = false;
  bool separate_rewarder = false;
  bool contexts_ahead = true;                // single steps: the context of a step is known during the step before it
  StepUpdate update = StepUpdate::all_arms;  // the kind of single steps
  std::size_t batch = 1;                     // number of events that are decided together, and learned together
  std::uint64_t reward_lag = 0;  // number of further events that are decided before the reward of an event is known
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  HeldOut held_out{};  // only for a run that evaluates a log
  // The deviation of each holder that adds noise to the learned sums (batch/noised_sums.h). Empty: nobody adds noise.
  std::vector<double> learning_noise{};
  std::uint64_t events_before = 0;  // number of events that an earlier model has learned; 0: a fresh model
  ModelBits before{};               // fraction bits of the model from which the run begins; all 0: those of this run

  // Whether decisions and learning are separate (batch/private_batches.h). If decisions and learning are not separate,
  // each step does both (private_bandit.h).
  [[nodiscard]] bool in_batches() const {
    return batch > 1 || reward_lag > 0 || task != BanditTask::play || events_before > 0;
  }
  [[nodiscard]] std::size_t features() const;
  [[nodiscard]] FeatureHolders holders() const {
    return {columns.size() - owners + computing_only, computing_only, owners};
  }
  [[nodiscard]] Topology topology() const {
    return bandit_topology(holders().parties, separate_rewarder, preprocessing, owners);
  }
};

// Throws InputError, at `where`, if randomness in the mode `by` is not possible for these parties and owners, or for
// this number of arms.
void require_randomness(RandomnessBy by, const FeatureHolders& holders, std::size_t arms, const std::string& where);

// Throws InputError if a parameter by itself is out of its range.
void require_sane(const BanditParameters& parameters);

// Widths that all runs of the bandit have in common, and that follow from the public bounds on a run.
//
// The model of an arm is A = I + the sum of x x', exact, and an approximate inverse W of A. With T steps, D features,
// |x| <= R, n = 1 + T R^2 and M = A^(1/2) W A^(1/2):
//
//     Fx = min(20, floor((62 - log2 n) / 2))       features; A, exact at 2 Fx, stays below 2^62
//     FW, FA: FA + FW = floor(61 - log2(n) / 2)    |A W|_ij <= 2 sqrt(n) as long as M < 2; FW balances the rounding
//                                                  of W, n 2^-FW, with that of A, 2^-FA
//     FP = 60 - FW                                 P = A W; 2 W - W P is formed at FW + FP + 1
//     d  = D (n 2^-FW + sqrt(n) 2^-FP + 2^-FA)     the most that rounding moves M from I in a Newton-Schulz iteration

// T, D and R as numbers. T includes the events of the model that a run begins from. Noise in learning makes T larger,
// so that all bounds hold with the noise. The noise increases n by at least twice the ridge L. It also increases
// sqrt(T), which bounds |w| and differences of scores, by at least three times a bound on the norm of the noise in b. R
// is at least 1, and includes the amount by which rounding may lift the norms of rows above their bound.
struct RunBounds {
  double steps;
  double features;
  double norm;

  [[nodiscard]] double n() const { return 1 + steps * norm * norm; }
};
[[nodiscard]] RunBounds bounds_of(const BanditParameters& parameters);
// The factor L by which noise in learning multiplies I in A (batch/noised_sums.h): a whole number, and 1 without noise.
[[nodiscard]] double learning_ridge(const BanditParameters& parameters);

inline constexpr int widest = 20;  // the most fraction bits of a value, even if the ring has room for more
inline constexpr int most_inverse_bits = 40;
inline constexpr int most_reward_bits = 16;
inline constexpr double tolerated_rounding = .05;
// The fraction bits at which scores are compared. Weights are never more precise than this, however long the run is.
inline constexpr unsigned compared_bits = 16;

[[nodiscard]] inline int whole_bits(double value) { return static_cast<int>(std::floor(value)); }

struct InverseWidths {
  int context;      // Fx
  int gram;         // FA: fraction bits of the copy of A that enters products
  int inverse;      // FW
  int residual;     // FP
  double rounding;  // d
};

// FW is so large that `needed` 2^-FW <= 1, unless it would then be above `most`. The larger FW is, the smaller FA is. A
// width below 1 means that the ring has no room for the value.
[[nodiscard]] InverseWidths inverse_widths(const RunBounds& bounds, unsigned fraction_bits, double needed,
                                           int most = most_inverse_bits);

// The number of bits for comparing scores whose differences are at most `factor` R sqrt(T / 2). `factor` is 1 if the
// scores come from two ridge regressions, which together have T steps with rewards in [-1, 1].
[[nodiscard]] unsigned comparison_bits(const RunBounds& bounds, double factor);

}  // namespace sotto::apps::bandit
