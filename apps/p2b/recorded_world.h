// Worlds that are kept in memory: users whose contexts and rewards were read from files.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/apps/p2b/world.h"

namespace sotto::apps {

// Contexts of users one after another; user u has the steps first[u] .. first[u + 1] - 1.
struct RecordedContexts {
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::vector<std::size_t> first{0};
  std::vector<double> contexts;  // steps of all users x dimension, each of sum 1

  [[nodiscard]] std::size_t users() const { return first.size() - 1; }
  [[nodiscard]] std::size_t steps() const { return first.back(); }
  // Of the user who has most.
  [[nodiscard]] std::size_t most_steps() const;
};

// All arms' rewards are known.
class TableWorld : public World {
 public:
  // `rewards` is steps x arms, in [0, 1].
  TableWorld(RecordedContexts recorded, std::vector<float> rewards);

  [[nodiscard]] std::size_t users() const override { return recorded_.users(); }
  [[nodiscard]] std::size_t dimension() const override { return recorded_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return recorded_.arms; }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] bool expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::span<double> out) const override;
  [[nodiscard]] const RecordedContexts& recorded() const { return recorded_; }

 private:
  RecordedContexts recorded_;
  std::vector<float> rewards_;
};

// A log: at each step the arm that was shown, and its reward.
class LogWorld : public World {
 public:
  LogWorld(RecordedContexts recorded, std::vector<std::uint32_t> arms, std::vector<float> rewards);

  [[nodiscard]] std::size_t users() const override { return recorded_.users(); }
  [[nodiscard]] std::size_t dimension() const override { return recorded_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return recorded_.arms; }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] std::optional<std::size_t> logged_arm(std::size_t user, std::size_t step) const override;
  [[nodiscard]] const RecordedContexts& recorded() const { return recorded_; }

 private:
  RecordedContexts recorded_;
  std::vector<std::uint32_t> arms_;
  std::vector<float> rewards_;
};

// The same world, where every user stops after `steps` steps at the latest, and of its first `users` users alone.
class PartOfWorld : public World {
 public:
  // `world` must outlive it.
  PartOfWorld(const World& world, std::size_t users, std::size_t steps)
      : world_(world), users_(users < world.users() ? users : world.users()), steps_(steps) {}

  [[nodiscard]] std::size_t users() const override { return users_; }
  [[nodiscard]] std::size_t dimension() const override { return world_.dimension(); }
  [[nodiscard]] std::size_t arms() const override { return world_.arms(); }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override {
    return world_.reward(user, step, context, arm);
  }
  [[nodiscard]] std::optional<std::size_t> logged_arm(std::size_t user, std::size_t step) const override {
    return world_.logged_arm(user, step);
  }
  [[nodiscard]] bool expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::span<double> out) const override {
    return world_.expected_rewards(user, step, context, out);
  }

 private:
  const World& world_;
  std::size_t users_;
  std::size_t steps_;
};

}  // namespace sotto::apps
