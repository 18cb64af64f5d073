// P2B's model: disjoint LinUCB (linucb.h) on a context that depends only on the code.
//   one_hot   the code's unit vector in R^k: theta of (code, arm) is sum of rewards / (1 + count)
//   centroid  the code's centroid in R^d
//
// The model stores a count and a sum of rewards for each code and arm, and solve() computes the scores from these
// numbers. Rounding errors therefore do not depend on the number or order of updates. solve() needs k A d^2
// multiply-adds for k codes, A arms and d dimensions.
//
// InputError, with a message of one line: a code or an arm is out of range, because tuples come from other parties.
// std::invalid_argument: a size is 0, a const model is not solved, or an encoder does not fit the model. Rewards
// outside [0, 1] are clipped and counted. from_bytes() throws InputError for bytes that to_bytes() did not make.
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
[[nodiscard]] ContextKind parse_context_kind(const std::string& text, const std::string& where);

inline constexpr std::size_t most_arms = 100'000;
inline constexpr std::size_t most_cells = std::size_t{1} << 27;

// Throws InputError for a code or arm out of range.
void check_tuple(const Tuple& tuple, std::size_t codes, std::size_t arms, const std::string& where);

class Model {
 public:
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
  [[nodiscard]] double theta(std::uint32_t code, std::size_t arm);
  [[nodiscard]] double theta(std::uint32_t code, std::size_t arm) const;
  // Returns theta_a, with `dimension` entries. Only for centroid.
  [[nodiscard]] std::span<const double> theta_vector(std::size_t arm) const;
  // The model must be solved.
  [[nodiscard]] std::span<const double> scores(std::uint32_t code) const;

  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  [[nodiscard]] std::size_t most_bytes() const noexcept;
  // `encoder` may be null for one_hot. Throws InputError for a model of another encoder or shape, and for a number of
  // arms other than `arms`. If `arms` is 0, any number is accepted. A few bytes can describe a model of many cells. So
  // a caller that receives the bytes from other parties must pass `arms`.
  [[nodiscard]] static Model from_bytes(std::span<const std::byte> bytes, const Encoder* encoder, std::size_t arms = 0);
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  friend class OwnModel;
  Model(ContextKind kind, const Encoder* encoder, std::size_t codes, std::size_t arms, double alpha);
  [[nodiscard]] std::size_t cell(std::uint32_t code, std::size_t arm) const;

  ContextKind kind_;
  const Encoder* encoder_;
  std::size_t codes_;
  std::size_t arms_;
  double alpha_;
  std::vector<std::uint64_t> counts_;  // codes x arms
  std::vector<double> sums_;
  std::uint64_t updates_ = 0;
  std::uint64_t clipped_ = 0;
  bool solved_ = false;
  std::vector<double> scores_;  // codes x arms
  std::unique_ptr<LinUcb> linear_;
};

// A user's private copy of a shared model. The shared model must be solved, must outlive the copy and must not change.
class OwnModel {
 public:
  explicit OwnModel(const Model& shared);

  void restart();

  template <Draws D>
  [[nodiscard]] std::size_t select(std::uint32_t code, D& draws) {
    score(code);
    return draw_best(std::span<const double>(scores_), draws);
  }
  // Throws InputError for codes and arms out of range. The reward is clipped to [0, 1].
  void update(const Tuple& tuple);
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }
  [[nodiscard]] std::uint64_t clipped() const noexcept { return clipped_; }

 private:
  struct Touched {
    std::uint32_t code;
    std::uint32_t arm;
    std::uint64_t count;
    double sum;
    double score;
  };
  void score(std::uint32_t code);
  void score_one_hot(std::uint32_t code);
  void score_centroid(std::uint32_t code);
  void update_one_hot(const Tuple& tuple, double reward);

  const Model* shared_;
  std::vector<Touched> touched_;
  OwnArms own_;
  std::vector<double> scores_;
  std::uint64_t clipped_ = 0;
};

}  // namespace sotto::apps::p2b
