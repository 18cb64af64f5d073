// The data of an experiment: each user has a sequence of contexts, one for each step, and each arm has a reward at each
// step. If the data are a log, only the rewards of the shown arms are known.
//
// Several threads may call the functions of a World at once, and equal calls return equal results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::apps::p2b {

class World {
 public:
  virtual ~World() = default;

  [[nodiscard]] virtual std::size_t users() const = 0;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t arms() const = 0;

  // Writes the user's contexts to `contexts`, steps x dimension() numbers. Each context has no negative feature and
  // sums to 1.
  virtual std::size_t meet(std::size_t user, std::vector<double>& contexts) const = 0;
  // Returns a reward in [0, 1]. In a log, the caller may request only the reward of the logged arm.
  [[nodiscard]] virtual double reward(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::size_t arm) const = 0;
  // Returns the arm that a log shows for this step, or nothing if all rewards are known.
  [[nodiscard]] virtual std::optional<std::size_t> logged_arm(std::size_t /*user*/, std::size_t /*step*/) const {
    return std::nullopt;
  }
  // Returns false if the average rewards are unknown.
  [[nodiscard]] virtual bool expected_rewards(std::size_t /*user*/, std::size_t /*step*/,
                                              std::span<const double> /*context*/, std::span<double> /*out*/) const {
    return false;
  }
};

// Replaces features below 0 by 0, and scales the context to sum 1. A context without a feature above 0 becomes uniform.
// Returns the number of features below 0.
std::size_t normalise_context(std::span<double> context);

// Contexts from files, one user after another; user u has the steps first[u] .. first[u + 1] - 1.
struct RecordedContexts {
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::vector<std::size_t> first{0};
  std::vector<double> contexts;  // steps x dimension, each row with sum 1

  [[nodiscard]] std::size_t users() const { return first.size() - 1; }
  [[nodiscard]] std::size_t steps() const { return first.back(); }
  [[nodiscard]] std::size_t most_steps() const;
};

class RecordedWorld : public World {
 public:
  [[nodiscard]] std::size_t users() const override { return recorded_.users(); }
  [[nodiscard]] std::size_t dimension() const override { return recorded_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return recorded_.arms; }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] const RecordedContexts& recorded() const { return recorded_; }

 protected:
  explicit RecordedWorld(RecordedContexts recorded);
  [[nodiscard]] std::size_t place(std::size_t user, std::size_t step) const { return recorded_.first[user] + step; }

 private:
  RecordedContexts recorded_;
};

class TableWorld : public RecordedWorld {
 public:
  // `rewards` is steps x arms, with values in [0, 1].
  TableWorld(RecordedContexts recorded, std::vector<float> rewards);

  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] bool expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::span<double> out) const override;

 private:
  std::vector<float> rewards_;
};

class LogWorld : public RecordedWorld {
 public:
  LogWorld(RecordedContexts recorded, std::vector<std::uint32_t> arms, std::vector<float> rewards);

  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] std::optional<std::size_t> logged_arm(std::size_t user, std::size_t step) const override {
    return arms_[place(user, step)];
  }

 private:
  std::vector<std::uint32_t> arms_;
  std::vector<float> rewards_;
};

class PartOfWorld : public World {
 public:
  // `world` must outlive this object.
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

// The users in the CSV file of `sotto-lab simulate --users FILE`. The header line has the columns user, t, one column
// for each feature, and one column for each arm, named reward_0, reward_1 and so on. Columns and rows may be in any
// order: a user's steps are played in the order of t, and users are numbered in the order of first appearance.
//
// Rewards outside [0, 1] are clipped and counted, and features below 0 are replaced by 0 and counted. Each context is
// then scaled to sum 1. Throws InputError, with file:line:column, for a missing column, no feature, fewer than 2 arms,
// fewer users than `fewest_users`, and a value of t that a user has twice.
struct UsersFile {
  std::shared_ptr<const TableWorld> world;
  std::vector<std::string> user_names;
  std::uint64_t rows = 0;
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;
};

[[nodiscard]] UsersFile read_users(const std::filesystem::path& path, std::size_t fewest_users = 2);

}  // namespace sotto::apps::p2b
