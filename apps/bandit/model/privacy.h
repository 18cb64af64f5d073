// The differential privacy of epsilon-greedy play: how much an opened arm reveals about a context.
//
// One opened action (Hannun et al. 2019, Theorem 1): the greedy arm is played with probability 1 - eps + eps/A, every
// other arm with eps/A. So for any data and any state of the model the log-ratio is at most
//     exact = log(A/eps - A + 1)   <=   paper = log(A/eps).
// Later actions depend on all earlier contexts, so only composition covers a run of T steps:
//     basic   = T exact                                    (delta = 0)
//     optimal = the least (T - 2i) exact with delta_i <= delta, tight for T adaptive eps-DP mechanisms
//               (Kairouz, Oh, Viswanath 2015, "The composition theorem for differential privacy", Theorem 3.3).
// Both bounds are vacuous for long runs, and cover only arms: not rewards, curves, a revealed model or timing.
//
// eta is in nats; an empty value means unbounded (epsilon 0). epsilon outside [0, 1] or NaN: InputError. delta outside
// [0, 1): InputError. No arm: std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sotto/protocol/party/preprocessing.h"

namespace sotto::apps::bandit {

constexpr double default_delta = 1e-6;

struct EtaPerAction {
  std::optional<double> exact;
  std::optional<double> paper;

  static void describe(auto& self, auto&& field) {
    field("exact", self.exact);
    field("paper", self.paper);
  }
};

struct EtaComposed {
  std::optional<double> basic;
  std::optional<double> optimal;
  double delta = default_delta;

  static void describe(auto& self, auto&& field) {
    field("basic", self.basic);
    field("optimal", self.optimal);
    field("delta", self.delta);
    field.derived("bound", self.basic ? "finite" : "unbounded");
  }
};

// The bound for one opened action with `arms` arms (A >= 1; for A = 1 the formula still bounds the true loss, 0).
EtaPerAction eta_per_action(std::size_t arms, double epsilon);

// The most bits that one opened action reveals about the greedy arm, whatever was known of that arm before. This number
// is the capacity of the symmetric channel from the greedy arm to the opened arm, and log2 A where nothing is explored.
double bits_per_action(std::size_t arms, double epsilon);

// The bound for all of `steps` opened actions.
EtaComposed eta_composed(std::size_t arms, double epsilon, std::uint64_t steps, double delta = default_delta);

// The least eta_total such that `steps` adaptive eta-DP mechanisms together are (eta_total, delta)-DP. O(sqrt(steps)
// log(steps)) time: 10^7 steps take milliseconds.
double optimal_composition(double eta, std::uint64_t steps, double delta);

// Whether a bound of `eta` promises nothing of use: it is above 10, which means odds of 22,000 to 1.
[[nodiscard]] bool is_vacuous(double eta);

// How the dealer draws Bernoulli(epsilon): the threshold is ceil(epsilon 2^64), or epsilon is 1.
Exploration exploration_of(double epsilon);

// The actual probability of exploring, threshold / 2^64. A run must report this probability as its epsilon.
double used_epsilon(const Exploration& exploration) noexcept;

}  // namespace sotto::apps::bandit
