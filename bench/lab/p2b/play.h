// One repeat of P2B's experiment in one process: the first users of an order are early, the other users are late.
//
//   early  The user's agents start without a model: LinUCB on raw contexts, and LinUCB on codes for each variant.
//          The user reports at most one interaction of each agent, with probability p. Reports of raw agents are
//          learned unchanged (warm, not private). Reports on codes go through the shuffler first.
//   late   The user has a cold agent, and agents with copies of the raw model and of each variant's model. All agents
//          of a user get the same contexts and rewards. Late users report nothing.
//
// In a log, an agent is evaluated by replay (apps/kit/learn/replay.h): a step counts only if the agent picks the arm
// that was shown.
//
// Results depend only on the settings, not on the number of threads. The reports need (d + 2) x 8 bytes for each early
// user that reports.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apps/p2b/encoder.h"
#include "apps/p2b/model.h"
#include "apps/p2b/tuple.h"
#include "apps/p2b/world.h"

namespace sotto::apps::lab {

struct P2bVariant {
  p2b::ContextKind context = p2b::ContextKind::centroid;
  std::shared_ptr<const p2b::Encoder> encoder;
};

struct PlaySettings {
  double early = 0.7;  // share of early users, rounded down to whole users
  double p = 0.5;
  std::size_t threshold = 10;
  double alpha = 1;
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  bool shuffle_users = false;  // false: the world's first users are early
  std::size_t parts = 0;       // number of equal parts of a user's steps
  std::uint64_t seed = 1;
  std::size_t threads = 1;
};

struct LateReward {
  double reward = 0;       // average over the interactions; 0 without interactions
  std::uint64_t kept = 0;  // interactions: all steps, or the steps that replay keeps
  std::uint64_t events = 0;
  // The average reward in each part of a user's steps; 0 for a part without interactions.
  std::vector<double> parts;
};

struct VariantOutcome {
  LateReward late;
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
};

struct PlayOutcome {
  std::size_t early = 0;
  std::size_t late = 0;
  LateReward cold;
  LateReward warm;  // with the model that was learned without privacy
  std::uint64_t warm_reports = 0;
  std::vector<VariantOutcome> variants;
  // The average reward of a policy that always picks the best arm, and of a policy that picks arms uniformly. Empty if
  // the world is a log.
  std::optional<double> best;
  std::optional<double> uniform;
};

// `done` receives the number of users played so far and the number of all users. Any thread may call `done`.
[[nodiscard]] PlayOutcome play_p2b(const p2b::World& world, const std::vector<P2bVariant>& variants,
                                   const PlaySettings& settings, const std::atomic<bool>& interrupted,
                                   const std::function<void(std::size_t, std::size_t)>& done = {});

[[nodiscard]] std::size_t early_users(std::size_t users, double share);

}  // namespace sotto::apps::lab
