// The parameters of the private bandit, and the numbers of fraction bits that follow from these parameters.
//
// Every role has the parameters before the first round, and the handshake compares their digest. Control flow, shapes
// and draws depend on nothing else.
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

enum class BanditRole : std::uint8_t { party, dealer, actor, rewarder, helper, owner };

inline constexpr NodeNames bandit_names{.outside = "actor", .further = "rewarder"};

using sotto::name_of;
using sotto::RandomnessBy;

[[nodiscard]] inline Topology bandit_topology(std::size_t parties, bool separate_rewarder,
                                              RandomnessBy by = RandomnessBy::dealer, std::size_t owners = 0) {
  const Topology topology = topology_of(by, parties, true, separate_rewarder, bandit_names);
  // If `by` allows no owners, require_randomness() refuses a run with owners.
  return cast_of(by).may_have_owners ? topology.with_owners(owners) : topology;
}
[[nodiscard]] inline NodeId actor_of(const Topology& topology) { return topology.outside_node(); }
[[nodiscard]] inline NodeId rewarder_of(const Topology& topology) {
  return topology.has_further_node() ? topology.further_node() : topology.outside_node();
}

// In the task `evaluate`, the model learns from a part of a log, and the actor estimates what the model would have
// earned in the rest.
enum class BanditTask : std::uint8_t { play, learn, evaluate };
constexpr auto names_of(BanditTask) {
  return std::array{std::pair{BanditTask::play, "play"}, std::pair{BanditTask::learn, "learn"},
                    std::pair{BanditTask::evaluate, "evaluate"}};
}

struct ModelBits {
  unsigned gram;     // A
  unsigned targets;  // b
  unsigned inverse;  // W
  unsigned weights;  // w

  friend bool operator==(const ModelBits&, const ModelBits&) = default;
};

// The fraction bits of A and b in an imported model, if they are more than those of the service that imports the model.
// Otherwise zeros.
struct SumBits {
  std::uint8_t gram = 0;
  std::uint8_t targets = 0;

  [[nodiscard]] bool any() const noexcept { return gram > 0 || targets > 0; }
  friend bool operator==(const SumBits&, const SumBits&) = default;
};

struct HeldOut {
  std::uint64_t events = 0;  // number of held-out events, which come last in the run
  std::size_t cells = 30;
  bool in_one_bit = false;
  bool by_best = false;  // whether bits of the parties split each cell (evaluate/)

  friend bool operator==(const HeldOut&, const HeldOut&) = default;
};

// The roles that bring features: the compute parties except the last `computing_only`, then the owners. Holders are
// numbered in this order.
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

// Throws InputError, which names `where`, if a run cannot have these holders of features.
void require_holders(const FeatureHolders& holders, const std::string& where);

enum class StepUpdate : std::uint8_t { all_arms, pulled_arm };
constexpr auto names_of(StepUpdate) {
  return std::array{std::pair{StepUpdate::all_arms, "all-arms"}, std::pair{StepUpdate::pulled_arm, "pulled-arm"}};
}

struct BanditParameters {
  std::vector<std::size_t> columns;  // number of feature columns of each holder
  std::size_t computing_only = 0;    // number of parties without features
  std::size_t owners = 0;            // number of owners; they are the last holders
  std::size_t arms = 0;              // number of arms, at least 1
  std::uint64_t steps = 0;           // number of steps, at least 1
  double max_norm = 1;               // R: |x| <= R, at most 8
  bool binary_rewards = true;        // otherwise rewards are in [-1, 1]
  unsigned fraction_bits = 20;       // largest number of fraction bits of features
  Exploration exploration{};
  bool reveal_model = false;
  bool separate_rewarder = false;
  bool contexts_ahead = true;  // whether a single step can share the context of the next step
  StepUpdate update = StepUpdate::all_arms;
  std::size_t batch = 1;         // largest number of events per batch
  std::uint64_t reward_lag = 0;  // events that are decided before a reward arrives
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  HeldOut held_out{};  // only if a log is evaluated
  // The deviation of each holder's noise in the learned sums (batch/noised_sums.h). Empty if there is no such noise.
  std::vector<double> learning_noise{};
  std::uint64_t events_before = 0;  // number of events that an earlier model has learned; 0 if there is none
  ModelBits before{};               // fraction bits of the earlier model

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

// Throws InputError, which names `where`, if randomness from `by` cannot serve these holders or this number of arms.
void require_randomness(RandomnessBy by, const FeatureHolders& holders, std::size_t arms, const std::string& where);

void require_sane(const BanditParameters& parameters);

// The numbers of fraction bits that all runs of the bandit have in common.
//
// The model of an arm is A = I + the sum of x x', exact, and an approximate inverse W of A. A run has T steps, D
// features and |x| <= R. Let n = 1 + T R^2 and M = A^(1/2) W A^(1/2).
//
//     number of fraction bits                      values with these bits
//     Fx = min(20, floor((62 - log2 n) / 2))       features; A has 2 Fx bits and stays below 2^62
//     FW, FA: FA + FW = floor(61 - log2(n) / 2)    W and a copy of A; the entries of A W are at most 2 sqrt(n) while
//                                                  M < 2. FW balances n 2^-FW, the rounding error of W, with 2^-FA, the
//                                                  rounding error of A
//     FP = 60 - FW                                 P = A W; 2 W - W P is computed with FW + FP + 1 bits
//
// In a Newton-Schulz iteration, rounding changes M by at most d = D (n 2^-FW + sqrt(n) 2^-FP + 2^-FA).

// The values of T, D and R. T includes the events of the model that a run begins from. If there is noise in learning, T
// also includes additional steps, so that all bounds hold with the noise. These steps increase n by at least twice the
// ridge L (batch/noised_sums.h). sqrt(T) bounds |w| and differences of scores, and these steps increase sqrt(T) by at
// least three times a bound on the noise in b. R is at least 1, and includes the amount by which rounding may increase
// the norm of a row.
struct RunBounds {
  double steps;
  double features;
  double norm;

  [[nodiscard]] double n() const { return 1 + steps * norm * norm; }
};
[[nodiscard]] RunBounds bounds_of(const BanditParameters& parameters);
// The factor of I in A: a whole number above 1 with noise in learning (batch/noised_sums.h), otherwise 1.
[[nodiscard]] double learning_ridge(const BanditParameters& parameters);

inline constexpr int widest = 20;  // largest number of fraction bits
inline constexpr int most_inverse_bits = 40;
inline constexpr int most_reward_bits = 16;
inline constexpr double tolerated_rounding = .05;
inline constexpr unsigned compared_bits = 16;

[[nodiscard]] inline int whole_bits(double value) { return static_cast<int>(std::floor(value)); }

struct InverseWidths {
  int context;      // Fx
  int gram;         // FA
  int inverse;      // FW
  int residual;     // FP
  double rounding;  // d
};

// FW begins at the width that balances the two rounding errors (above), and grows until `needed` 2^-FW is at most 1. FW
// never exceeds `most`. If a width is below 1, the ring Z/2^64 is too small for the run.
[[nodiscard]] InverseWidths inverse_widths(const RunBounds& bounds, unsigned fraction_bits, double needed,
                                           int most = most_inverse_bits);

// The number of bits for comparing scores whose differences are at most `factor` R sqrt(T / 2).
[[nodiscard]] unsigned comparison_bits(const RunBounds& bounds, double factor);

}  // namespace sotto::apps::bandit
