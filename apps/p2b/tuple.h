// The tuple that a user may reveal about one interaction: the code of the context, the arm that was pulled, and the
// reward. A user reports at most one tuple in its life, and with probability p.
// uniform     one of the user's interactions, drawn uniformly: the choice does not depend on rewards.
// published   the choice of the authors' code, only to reproduce the figures of that code. In 95 of 100 cases, a user
//             chooses an interaction with a reward above 0 if there is any, and otherwise any interaction. In 5 of 100
//             cases, a user chooses an interaction without reward, or nothing if there is none. The choice `published`
//             reveals something about the user's rewards, so results of runs with this choice contain a warning.
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

// The index in `rewards` of the interaction that the user would report; nothing if there is none. The function
// choose_interaction() does not apply the probability p.
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

// Applies the probability p first, so that a user that does not report draws nothing else.
template <Draws D>
[[nodiscard]] std::optional<std::size_t> choose_report(std::span<const double> rewards, double p, TupleChoice choice,
                                                       D& draws) {
  if (!draw_chance(p, draws)) return std::nullopt;
  return choose_interaction(rewards, choice, draws);
}

[[nodiscard]] std::string tuple_choice_name(TupleChoice choice);
// "uniform" or "published"; `where` names the flag in the InputError.
[[nodiscard]] TupleChoice parse_tuple_choice(const std::string& text, const std::string& where);

// Returns the reward clipped to [0, 1]; `clipped` counts the rewards outside [0, 1]. NaN becomes 0 and is counted in
// `clipped`.
[[nodiscard]] inline double clip_reward(double reward, std::uint64_t& clipped) {
  if (reward >= 0 && reward <= 1) return reward;
  ++clipped;
  return reward > 1 ? 1 : 0;
}

// Tuples in CSV files, with or without a header line.
//
// A file without a header has the three columns code, arm, reward. A file with a header has columns named code, arm and
// reward, in any order; all other columns are metadata and are ignored. A column `user` names the user that reported:
// only the first tuple of each user is used. Further tuples of the user are left out, and their number is counted. A
// file with only a header has no tuples.
//
// Rewards outside [0, 1] are clipped and counted. Throws InputError that names file:line:column for codes and arms that
// are no whole numbers within the limits, and for files that are no table of tuples.

struct TupleLimits {
  std::optional<std::size_t> codes{};  // k: the number of codes
  std::optional<std::size_t> arms{};   // K: the number of arms
};

struct TupleFile {
  std::vector<Tuple> tuples;
  std::uint64_t clipped = 0;     // number of clipped rewards
  std::uint64_t duplicates = 0;  // number of tuples that were left out, because their user already had a tuple
};

[[nodiscard]] TupleFile read_tuples(const std::filesystem::path& path, const TupleLimits& limits);

// The text of a file: a header, then one row for each tuple.
[[nodiscard]] std::string tuples_csv(std::span<const Tuple> tuples);

// P2B's shuffler on one batch: counts the codes, drops the tuples whose code occurs fewer than l times, and puts the
// other tuples in a uniformly random order. The tuples have no metadata: all data about the senders was removed
// earlier.
//
// Only the survivors may be published. The delta of apps/p2b/privacy.h holds for observers of the survivors, but not
// for an observer that learns in any way how many tuples were received or dropped. A program that makes batches must
// therefore not close a batch because of its size, and must not carry dropped tuples over to the next batch. The caller
// checks codes and arms (check_tuple).
//
// Throws InputError for a threshold of 0.

struct ShuffleResult {
  std::vector<Tuple> survivors;
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;        // received - kept
  std::uint64_t codes_dropped = 0;  // distinct codes below the threshold
};

// Drops the same tuples as shuffle(), but leaves the other tuples in the order of the batch. The function is for
// callers that shuffle elsewhere, and for tests.
[[nodiscard]] ShuffleResult drop_rare_codes(std::span<const Tuple> batch, std::size_t threshold);

template <Draws D>
[[nodiscard]] ShuffleResult shuffle(std::span<const Tuple> batch, std::size_t threshold, D& draws) {
  ShuffleResult result = drop_rare_codes(batch, threshold);
  draw_order(std::span(result.survivors), draws);
  return result;
}

}  // namespace sotto::apps::p2b
