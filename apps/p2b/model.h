// P2B's model: disjoint LinUCB on codes. A code is turned into a context in one of two ways.
//   one_hot   context = the code's unit vector of R^k. A_a is diagonal: theta of (code, arm) = sum of
//             rewards / (1 + count), width 1 / sqrt(1 + count).
//   centroid  context = the code's centroid in R^d (apps/p2b/linucb.h).
//
// The model stores only a count and a sum of rewards for each code and arm. Everything else is computed from the counts
// and the sums, with A_a = I + the sum over codes of count c c'. Rounding errors therefore do not depend on the number
// or order of updates. The function solve() computes the model from the counts and the sums and stores the score of
// every code and arm. For k codes and A arms, solve() takes k A d^2 multiply-adds. select() and theta() of a non-const
// model call solve() themselves.
//
// OwnModel is a user's private copy: an overlay on a shared model, cheap to create and to discard.
//
// Errors: codes and arms out of range are InputError with a message of one line, because tuples come from other
// parties. Rewards outside [0, 1] are clipped and counted. Sizes of 0, a const model that was not solved, and an
// encoder that does not fit the model are std::invalid_argument. The function from_bytes throws InputError for bytes
// that to_bytes did not make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/p2b/draws.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/linucb.h"
#include "apps/p2b/tuple.h"

namespace sotto::apps::p2b {

enum class ContextKind : std::uint8_t { one_hot, centroid };

[[nodiscard]] std::string context_kind_name(ContextKind kind);
// "one-hot" or "centroid"; `where` names the flag in the InputError.
[[nodiscard]] ContextKind parse_context_kind(const std::string& text, const std::string& where);

inline constexpr std::size_t most_arms = 100'000;
// The largest allowed product: the number of codes times the number of arms. A model has three tables with an entry for
// each code and arm.
inline constexpr std::size_t most_cells = std::size_t{1} << 27;

// Throws InputError for a code outside 0..codes-1 or an arm outside 0..arms-1; `where` names the source of the tuple.
void check_tuple(const Tuple& tuple, std::size_t codes, std::size_t arms, const std::string& where);

class Model {
 public:
  // One-hot codes need no encoder.
  Model(std::size_t codes, std::size_t arms, double alpha = 1);
  // `encoder` must outlive the model and its copies.
  Model(ContextKind kind, const Encoder& encoder, std::size_t arms, double alpha = 1);

  [[nodiscard]] ContextKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::size_t codes() const noexcept { return codes_; }
  [[nodiscard]] std::size_t arms() const noexcept { return arms_; }
  [[nodiscard]] double alpha() const noexcept { return alpha_; }
  [[nodiscard]] std::uint64_t updates() const noexcept { return updates_; }
  [[nodiscard]] std::uint64_t clipped() const noexcept { return clipped_; }
  [[nodiscard]] std::uint64_t count(std::uint32_t code, std::size_t arm) const;
  [[nodiscard]] double reward_sum(std::uint32_t code, std::size_t arm) const;

  void update(const Tuple& tuple);
  void update(std::span<const Tuple> tuples);

  void solve();
  [[nodiscard]] bool solved() const noexcept { return solved_; }

  template <Draws D>
  [[nodiscard]] std::size_t select(std::uint32_t code, D& draws) {
    solve();
    return draw_best(scores(code), draws);
  }
  // The model's expected reward at the code: theta itself for one_hot, theta_a . c for centroid.
  [[nodiscard]] double theta(std::uint32_t code, std::size_t arm);
  [[nodiscard]] double theta(std::uint32_t code, std::size_t arm) const;
  // centroid only: theta_a, of `dimension` entries.
  [[nodiscard]] std::span<const double> theta_vector(std::size_t arm) const;
  // One score for each arm; the model must be solved.
  [[nodiscard]] std::span<const double> scores(std::uint32_t code) const;

  // The model as bytes for links and files: shape, the encoder's fingerprint, counts and sums.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  // The number of bytes that to_bytes() returns at most, once every code has rewards of every arm.
  [[nodiscard]] std::size_t most_bytes() const noexcept;
  // `encoder` may be null for one_hot. Throws InputError for a model of another encoder or shape, and for a number of
  // arms other than `arms`; `arms` = 0 accepts any number. A few bytes can describe a model of many cells, so a caller
  // that receives the bytes from other parties must give `arms`.
  [[nodiscard]] static Model from_bytes(std::span<const std::byte> bytes, const Encoder* encoder, std::size_t arms = 0);
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  friend class OwnModel;
  Model(ContextKind kind, const Encoder* encoder, std::size_t codes, std::size_t arms, double alpha);
  [[nodiscard]] std::size_t cell(std::uint32_t code, std::size_t arm) const;

  ContextKind kind_;
  const Encoder* encoder_;  // may be null for one_hot
  std::size_t codes_;
  std::size_t arms_;
  double alpha_;
  std::vector<std::uint64_t> counts_;  // codes x arms
  std::vector<double> sums_;
  std::uint64_t updates_ = 0;
  std::uint64_t clipped_ = 0;
  bool solved_ = false;
  std::vector<double> scores_;      // codes x arms
  std::unique_ptr<LinUcb> linear_;  // only for centroid
};

// A user's private copy of a shared model. The shared model must be solved, must outlive the copy and must not change.
class OwnModel {
 public:
  explicit OwnModel(const Model& shared);

  // Forgets the user's updates, so that the next user can use the copy. Allocates nothing.
  void restart();

  template <Draws D>
  [[nodiscard]] std::size_t select(std::uint32_t code, D& draws) {
    score(code);
    return draw_best(std::span<const double>(scores_), draws);
  }
  // Throws InputError for codes and arms out of range; the reward is clipped to [0, 1].
  void update(const Tuple& tuple);
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }
  [[nodiscard]] std::uint64_t clipped() const noexcept { return clipped_; }

 private:
  struct Touched {
    std::uint32_t code;
    std::uint32_t arm;
    std::uint64_t count;  // number of updates: those in the shared model plus those of the user
    double sum;
    double score;
  };
  void score(std::uint32_t code);
  void score_one_hot(std::uint32_t code);
  void score_centroid(std::uint32_t code);
  void update_one_hot(const Tuple& tuple, double reward);

  const Model* shared_;
  std::vector<Touched> touched_;  // only for one_hot; sorted by code and arm
  OwnArms own_;                   // only for centroid
  std::vector<double> scores_;
  std::uint64_t clipped_ = 0;
};

}  // namespace sotto::apps::p2b
