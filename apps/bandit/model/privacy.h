// The differential privacy of epsilon-greedy play: how much an opened arm reveals about a context.
//
// One opened action [Hannun et al. 2019, Theorem 1]: the greedy arm is played with probability 1 - eps + eps/A, every
// other arm with eps/A. So for any two contexts and any model, the log-ratio of an action's probabilities is at most
//     exact = log(A/eps - A + 1)   <=   paper = log(A/eps).
// Later actions depend on all earlier contexts, so only composition covers a run of T steps:
//     basic   = T exact                                    (delta = 0)
//     optimal = the least (T - 2i) exact with delta_i <= delta, tight for T adaptive eps-DP mechanisms
//               (Kairouz, Oh, Viswanath 2015, "The composition theorem for differential privacy", Theorem 3.3).
// Both bounds are vacuous for long runs. They cover only arms, and not rewards, curves, a revealed model or timing.
//
// All values of eta are in nats; an empty value means unbounded (epsilon 0). The functions throw InputError if epsilon
// is outside [0, 1] or delta is outside [0, 1), and std::invalid_argument if there is no arm.
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

EtaPerAction eta_per_action(std::size_t arms, double epsilon);

// The most bits that one opened action reveals about the greedy arm, whatever was known of that arm before.
double bits_per_action(std::size_t arms, double epsilon);

EtaComposed eta_composed(std::size_t arms, double epsilon, std::uint64_t steps, double delta = default_delta);

// The least eta_total such that `steps` adaptive eta-DP mechanisms together are (eta_total, delta)-DP.
double optimal_composition(double eta, std::uint64_t steps, double delta);

// Whether `eta` is above 10, which means odds of 22,000 to 1.
[[nodiscard]] bool is_vacuous(double eta);

// Bernoulli(epsilon) as the dealer draws it: the threshold is ceil(epsilon 2^64), or `always` if epsilon is 1.
Exploration exploration_of(double epsilon);

// The true probability of exploring, threshold / 2^64. A run must report this probability as its epsilon.
double used_epsilon(const Exploration& exploration) noexcept;

}  // namespace sotto::apps::bandit
