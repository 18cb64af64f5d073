// What the users of an experiment live through: each meets a number of contexts in turn, and would get a reward for
// each arm there. Worlds are the synthetic one of the paper, multi-label data, a file of users, and an advertiser's
// log, of which only the rewards of the arms that were shown are known.
//
// A world does not change; all its functions may be called from several threads at once, and give the same whenever
// they are asked the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::apps {

class World {
 public:
  virtual ~World() = default;

  [[nodiscard]] virtual std::size_t users() const = 0;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t arms() const = 0;

  // Writes the contexts that the user meets to `contexts`, steps x dimension(), each not negative and of sum 1; returns
  // how many.
  virtual std::size_t meet(std::size_t user, std::vector<double>& contexts) const = 0;
  // In [0, 1]. `context` is the user's of that step. Only of the logged arm where there is one.
  [[nodiscard]] virtual double reward(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::size_t arm) const = 0;
  // The arm that a log's user was shown; nothing where all rewards are known.
  [[nodiscard]] virtual std::optional<std::size_t> logged_arm(std::size_t /*user*/, std::size_t /*step*/) const {
    return std::nullopt;
  }
  // What each arm would pay on average, arms() numbers; false where that is not known.
  [[nodiscard]] virtual bool expected_rewards(std::size_t /*user*/, std::size_t /*step*/,
                                              std::span<const double> /*context*/, std::span<double> /*out*/) const {
    return false;
  }
};

// Scales to sum 1 in place; features below 0 count as 0, and a context without any above 0 becomes uniform. Returns how
// many were below 0.
std::size_t normalise_context(std::span<double> context);

}  // namespace sotto::apps
