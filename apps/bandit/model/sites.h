// The parts that a role brings to a run of the bandit. Each role has only its own parts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit {

// The id of the checkpoints that the roles of a run make at the same step.
//
//     id = SHA-256("sotto checkpoint", id of the checkpoint before, session of the links, epoch, step,
//                  SHA-256 of the public words of the model)
//
// The public words are the masked values that all compute parties opened. Each compute party computes the id by itself,
// and the actor and the rewarder receive it. Two checkpoints of the same step have the same id only if both were made
// in the same epoch, after the same start of the run. So shares with the same id belong to one model. The masks are
// uniform, so the id reveals nothing of the model.

using CheckpointId = net::Digest;

// `before` is zeros at the first checkpoint of a run.
struct CheckpointPlace {
  CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
  std::uint64_t steps = 0;  // number of completed steps
};

[[nodiscard]] CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words);

// SHA-256 of the words in their order, each as eight little-endian bytes.
[[nodiscard]] net::Digest digest_of(std::span<const std::uint64_t> words);

struct BanditSchedule {
  std::uint64_t from_step = 0;         // 0: the run begins with a fresh model
  std::uint64_t checkpoint_every = 0;  // 0: never
};

// Additive shares in Z/2^64, one row per arm.
struct ModelShares {
  std::vector<std::uint64_t> inverses;  // W, then A
  std::vector<std::uint64_t> targets;   // w, then b
};

struct OpenedCounts;

// The actor's question about the counts H: whether threshold < q . H. The actor learns only the answer, one bit. The
// absolute value of each factor is at most 1. The absolute value of the threshold is at most 4 N, for N evaluated
// events.
struct CountQuestion {
  std::vector<double> factors;  // q, of the counts of OpenedCounts::agreed
  double threshold = 0;
  std::vector<double> factors_otherwise{};  // the rest of q, of the counts of OpenedCounts::otherwise
};

class Contexts {
 public:
  virtual ~Contexts() = default;
  // Writes the features of `holder`, one word per column, with context_bits fraction bits. With contexts_ahead, the
  // program calls this function before the step begins.
  virtual void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) = 0;
};

// The actor's part. The function pull() may block.
class Arms {
 public:
  virtual ~Arms() = default;
  virtual void pull(std::uint64_t step, std::size_t arm);
  [[nodiscard]] virtual std::size_t logged_arm(std::uint64_t step);
  [[nodiscard]] virtual std::size_t logged_cell(std::uint64_t step);
  virtual void counts_shown(const OpenedCounts& counts);
  [[nodiscard]] virtual CountQuestion count_question();
  virtual void question_answered(bool answer);
};

// The rewarder's part. Its functions may block.
class Rewards {
 public:
  virtual ~Rewards() = default;
  // Returns the reward with reward_bits fraction bits, rounded without bias.
  virtual std::uint64_t reward(std::uint64_t step) = 0;
  virtual void rewards(std::uint64_t first, std::span<std::uint64_t> out);
};

class CountNoise {
 public:
  virtual ~CountNoise() = default;
  // At compute parties: writes uniform words with which the parties check the actor's inputs.
  virtual void draw_coins(std::span<std::uint64_t> out) = 0;
  // Writes the noise that the role adds to the counts, one word per count. A party without features writes zeros.
  // Called once per run.
  virtual void draw_noise(std::span<std::uint64_t> out) = 0;
  // Both functions write the noise that the role adds to A or to b, in units of 2^-bits (batch/noised_sums.h). The
  // noise for A is written as upper triangles of `features` rows. A holder without noise in learning writes zeros.
  // Called once per run, before draw_noise().
  virtual void draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out);
  virtual void draw_target_noise(unsigned bits, std::span<std::uint64_t> out);
};

// A compute party's part in the evaluation of a log of a service (evaluate/). Each event has a bit: whether the played
// arm was the best arm of the model that played.
class BestShares {
 public:
  virtual ~BestShares() = default;
  // Returns the party's XOR share of the bit of this event.
  [[nodiscard]] virtual bool best_share(std::uint64_t step) = 0;
};

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void step_begins(std::uint64_t /*step*/) {}
  // The program calls decided() only in a run in batches.
  virtual void decided(std::uint64_t /*first*/, std::size_t /*steps*/) {}
  virtual void step_done(std::uint64_t /*step*/) {}
};

class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // Called at compute parties.
  virtual CheckpointId name_checkpoint(std::uint64_t steps, const net::Digest& public_words) = 0;
  // Called after name_checkpoint(), at every role. Only compute parties receive shares. The dealer receives zeros as
  // id.
  virtual void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) = 0;
  // If `steps` is 0, loads the model that the run begins from. The vectors of `shares` must already have the sizes of
  // the model.
  virtual void load(std::uint64_t steps, ModelShares& shares) = 0;
};

template <class Part>
concept SitePart = std::derived_from<Part, Contexts> || std::derived_from<Part, Arms> ||
    std::derived_from<Part, Rewards> || std::derived_from<Part, CountNoise> || std::derived_from<Part, BestShares> ||
    std::derived_from<Part, StepObserver> || std::derived_from<Part, CheckpointStore>;

class BanditSite {
 public:
  BanditSite() = default;
  explicit BanditSite(SitePart auto&... parts) requires(sizeof...(parts) > 0) { (add(parts), ...); }
  // `part` must outlive this site. A part replaces an earlier part of the same kind, except observers.
  template <SitePart Part>
  void add(Part& part) {
    if constexpr (std::derived_from<Part, Contexts>) contexts_ = &part;
    if constexpr (std::derived_from<Part, Arms>) arms_ = &part;
    if constexpr (std::derived_from<Part, Rewards>) rewards_ = &part;
    if constexpr (std::derived_from<Part, CountNoise>) count_noise_ = &part;
    if constexpr (std::derived_from<Part, BestShares>) best_shares_ = &part;
    if constexpr (std::derived_from<Part, CheckpointStore>) checkpoints_ = &part;
    if constexpr (std::derived_from<Part, StepObserver>) observers_.push_back(&part);
  }

  // Each function throws std::logic_error if the role does not have the part.
  [[nodiscard]] Contexts& contexts() const;
  [[nodiscard]] Arms& arms() const;
  [[nodiscard]] Rewards& rewards() const;
  [[nodiscard]] CountNoise& count_noise() const;
  [[nodiscard]] BestShares& best_shares() const;
  // Null if the role keeps no state.
  [[nodiscard]] CheckpointStore* checkpoints() const noexcept { return checkpoints_; }

  void step_begins(std::uint64_t step) const;
  void decided(std::uint64_t first, std::size_t steps) const;
  void step_done(std::uint64_t step) const;

 private:
  Contexts* contexts_ = nullptr;
  Arms* arms_ = nullptr;
  Rewards* rewards_ = nullptr;
  CountNoise* count_noise_ = nullptr;
  BestShares* best_shares_ = nullptr;
  CheckpointStore* checkpoints_ = nullptr;
  std::vector<StepObserver*> observers_;
};

template <SitePart... Parts>
class SiteOf : public BanditSite, public Parts... {
 public:
  SiteOf() { (add(static_cast<Parts&>(*this)), ...); }
  SiteOf(const SiteOf&) = delete;
  SiteOf& operator=(const SiteOf&) = delete;
};

}  // namespace sotto::apps::bandit
