// EpsilonGreedy: the private bandit in a program of your own, a few events at a time.
//
//     bandit::EpsilonGreedy bandit(session, {.columns = {3, 2}, .arms = 4, .events = 1000});
//     auto arms = co_await bandit.decide(64, mine);           5 rounds; at the receiver, one arm an event
//     co_await bandit.learn(64, mine, arms, rewards);         13 rounds
//
// The receiver of the session is the actor. Only the receiver learns the arms and knows the rewards. An event may be
// learned at any time after its decision, but at most once. A party passes its features, one row per event; the
// receiver passes arms and rewards. Every role passes empty values for all other arguments. decide.h and learn.h in
// apps/bandit/model/batch/ state what each role sees, and why the bandit cannot diverge.
//
// Throws InputError:
// - before the first round, if the options let a number leave its range (apps/bandit/model/batch/batch_plan.h),
// - at a party, if its rows have the wrong shape, or if the norm of a row is above max_norm / sqrt(columns.size()),
// - at the receiver, if a reward is not in [-1, 1].
//
// Without a dealer, throws std::invalid_argument for more than 64 arms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/matrix.h"
#include "sotto/protocol/async/task.h"
#include "sotto/session.h"

namespace sotto::bandit {

struct Options {
  std::vector<std::size_t> columns{};  // number of columns of party 0, 1, ...
  std::size_t computing_only = 0;      // number of further parties, which have no features
  std::size_t arms = 0;
  std::uint64_t events = 0;  // the largest number of events that the run learns
  std::size_t batch = 64;
  double epsilon = 0.1;
  double max_norm = 1;  // the largest norm of an event's features, all parties together; at most 8
};

class EpsilonGreedy {
 public:
  // The session must have a receiver, and must outlive this object.
  EpsilonGreedy(Session& session, const Options& options);
  ~EpsilonGreedy();
  EpsilonGreedy(const EpsilonGreedy&) = delete;
  EpsilonGreedy& operator=(const EpsilonGreedy&) = delete;

  // Returns the arms, numbered from 0, at the receiver, and an empty vector at all other roles.
  [[nodiscard]] Task<std::vector<std::size_t>> decide(std::size_t events, const Matrix& mine);
  [[nodiscard]] Task<Unit> learn(std::size_t events, const Matrix& mine, const std::vector<std::size_t>& arms,
                                 const std::vector<double>& rewards);
  // Opens the weights, one row per arm, to all parties. Returns NaN at all other roles. 1 round.
  [[nodiscard]] Task<Matrix> reveal_weights();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sotto::bandit
