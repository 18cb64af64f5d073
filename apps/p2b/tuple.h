// The tuple that a user may reveal about one interaction: the code of the context, the arm that was pulled, and the
// reward. A user reports at most one tuple ever, with probability p.
//
// uniform     one of the user's interactions, drawn uniformly, independently of rewards
// published   the choice of the authors' code, only to reproduce its figures. In 95 of 100 cases, the user chooses
//             among the interactions with a reward above 0, or among all interactions if no reward is above 0. In 5 of
//             100 cases, the user chooses an interaction without reward, or nothing if there is none. The choice
//             `published` reveals something about the user's rewards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/p2b/draws.h"

namespace sotto::apps::p2b {

struct Tuple {
  std::uint32_t code = 0;
  std::uint32_t arm = 0;
  double reward = 0;

  friend bool operator==(const Tuple&, const Tuple&) = default;
};

enum class TupleChoice : std::uint8_t { uniform, published };

inline constexpr double published_unrewarded = 0.05;

// Returns an index in `rewards`, or nothing if the user chooses no interaction. choose_interaction() does not apply the
// probability p.
template <Draws D>
[[nodiscard]] std::optional<std::size_t> choose_interaction(std::span<const double> rewards, TupleChoice choice,
                                                            D& draws) {
  if (rewards.empty()) return std::nullopt;
  if (choice == TupleChoice::uniform) {
    return static_cast<std::size_t>(draws.below(rewards.size()));
  }
  std::size_t rewarded = 0;
  for (const double reward : rewards) rewarded += reward > 0 ? 1 : 0;
  const bool unrewarded_wanted = draw_chance(published_unrewarded, draws);
  if (unrewarded_wanted && rewarded == rewards.size()) return std::nullopt;
  const bool take_rewarded = !unrewarded_wanted && rewarded > 0;
  std::uint64_t left = draws.below(take_rewarded ? rewarded : rewards.size() - rewarded);
  for (std::size_t i = 0;; ++i) {
    if ((rewards[i] > 0) == take_rewarded && left-- == 0) return i;
  }
}

// This function applies the probability p first, so a user that does not report draws nothing else.
template <Draws D>
[[nodiscard]] std::optional<std::size_t> choose_report(std::span<const double> rewards, double p, TupleChoice choice,
                                                       D& draws) {
  if (!draw_chance(p, draws)) return std::nullopt;
  return choose_interaction(rewards, choice, draws);
}

[[nodiscard]] std::string tuple_choice_name(TupleChoice choice);
[[nodiscard]] TupleChoice parse_tuple_choice(const std::string& text, const std::string& where);

// Clips the reward to [0, 1]. NaN becomes 0.
[[nodiscard]] inline double clip_reward(double reward, std::uint64_t& clipped) {
  if (reward >= 0 && reward <= 1) return reward;
  ++clipped;
  return reward > 1 ? 1 : 0;
}

// Tuples in CSV files, with or without a header line.
//
// A file without a header has the three columns code, arm, reward. A file with a header has columns named code, arm and
// reward, in any order. If there is a column `user`, only the first tuple of each user is used, and the others are
// counted. All other columns are ignored.
//
// Rewards outside [0, 1] are clipped and counted. Throws InputError, which names file:line:column, for codes and arms
// that are no whole numbers within the limits, and for files that are no table of tuples.
struct TupleLimits {
  std::optional<std::size_t> codes{};
  std::optional<std::size_t> arms{};
};

struct TupleFile {
  std::vector<Tuple> tuples;
  std::uint64_t clipped = 0;
  std::uint64_t duplicates = 0;
};

[[nodiscard]] TupleFile read_tuples(const std::filesystem::path& path, const TupleLimits& limits);

[[nodiscard]] std::string tuples_csv(std::span<const Tuple> tuples);

// P2B's shuffler on one batch: counts the codes, drops the tuples whose code occurs fewer than l times, and brings the
// other tuples into a uniformly random order.
//
// Only the survivors may be published. The delta of apps/p2b/privacy.h holds for observers of the survivors, but not
// for an observer that learns in any way how many tuples were received or dropped. So a program that makes batches must
// not close a batch because of its size, and must not move dropped tuples to the next batch. The caller must check
// codes and arms (check_tuple).
//
// Throws InputError for a threshold of 0.
struct ShuffleResult {
  std::vector<Tuple> survivors;
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;  // number of distinct codes below the threshold
};

// Drops the same tuples as shuffle(), but keeps the order of the batch.
[[nodiscard]] ShuffleResult drop_rare_codes(std::span<const Tuple> batch, std::size_t threshold);

template <Draws D>
[[nodiscard]] ShuffleResult shuffle(std::span<const Tuple> batch, std::size_t threshold, D& draws) {
  ShuffleResult result = drop_rare_codes(batch, threshold);
  draw_order(std::span(result.survivors), draws);
  return result;
}

}  // namespace sotto::apps::p2b
