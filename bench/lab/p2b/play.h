// One repeat of P2B's experiment in one process: the first users of an order are early, the others late.
//
//   early  every user plays agents of its own that start cold: LinUCB on its raw contexts, and, for each
//          variant of P2B, LinUCB on codes. At the end it reports at most one interaction of each, with probability p.
//          Reports of raw agents are learned as they are (warm, not private);
//          those of the others go through the shuffler (apps/p2b/tuple.h) and are learned then.
//   late   every user plays, on the same contexts and rewards: a cold agent, one with a copy of the raw
//          model, and one with a copy of each variant's model. Nobody reports.
//
// All agents are disjoint LinUCB, A = I (apps/p2b/linucb.h, model.h). In a world that is a log, an agent is evaluated
// by replay (apps/kit/learn/replay.h): it learns from, reports and is paid for the steps at which it picks the arm that
// was shown.
//
// Results depend on the settings alone, not on the number of threads. Memory: that of the reports, (d + 2) x 8 bytes
// for each early user that reports.
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

// One way to play P2B: the encoder's codes as unit vectors, or as centroids.
struct P2bVariant {
  p2b::ContextKind context = p2b::ContextKind::centroid;
  std::shared_ptr<const p2b::Encoder> encoder;
};

struct PlaySettings {
  double early = 0.7;  // of the users, rounded down
  double p = 0.5;      // that a user reports
  std::size_t threshold = 10;
  double alpha = 1;
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  bool shuffle_users = false;  // else the world's first users are the early ones
  std::size_t parts = 0;       // equal ones of a user's steps whose rewards are told apart
  std::uint64_t seed = 1;
  std::size_t threads = 1;
};

// Of the late users with one kind of agent.
struct LateReward {
  double reward = 0;         // mean of the interactions; 0 where there are none
  std::uint64_t kept = 0;    // interactions: all steps, or what replay keeps
  std::uint64_t events = 0;  // steps
  // Mean reward of each part of the steps, early ones first; 0 where nothing was kept.
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
  LateReward warm;  // without privacy
  std::uint64_t warm_reports = 0;
  std::vector<VariantOutcome> variants;
  // Of the best arm at each step, and of all arms alike, over a part of the late users; nothing in a log.
  std::optional<double> best;
  std::optional<double> uniform;
};

// `done` is told how many of how many users have been played, from any thread.
[[nodiscard]] PlayOutcome play_p2b(const p2b::World& world, const std::vector<P2bVariant>& variants,
                                   const PlaySettings& settings, const std::atomic<bool>& interrupted,
                                   const std::function<void(std::size_t, std::size_t)>& done = {});

// How many of the users are early.
[[nodiscard]] std::size_t early_users(std::size_t users, double share);

}  // namespace sotto::apps::lab
