// The parts that a role brings to a run of the bandit, and the state that it keeps. There are six kinds of parts. Each
// role has only its own parts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit {

// The id by which the roles of a run know that their checkpoints belong together.
//
//     id = SHA-256("sotto checkpoint", id of the checkpoint before, session of the links, epoch, step,
//                  SHA-256 of the public words of the model)
//
// The public words are the masked values that all compute parties opened. All compute parties have the same public
// words, so each computes the id by itself. The actor and the rewarder receive the id. The id covers the whole schedule
// of the run up to its step. Two checkpoints of the same step have the same id only if both were made in the same
// epoch, after the same start of the run. So shares with the same id belong to one model. The masks are uniform, so the
// id reveals nothing of the model.

using CheckpointId = net::Digest;

// The data from which an id is computed, in addition to the model. `before` is zeros at the first checkpoint of a run.
struct CheckpointPlace {
  CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
  std::uint64_t steps = 0;  // number of steps that are done
};

[[nodiscard]] CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words);

// SHA-256 of the words in their order, each as eight bytes, the lowest first.
[[nodiscard]] net::Digest digest_of(std::span<const std::uint64_t> words);

// The step where a run starts, and how often it keeps its state. Both are the same at every role.
struct BanditSchedule {
  std::uint64_t from_step = 0;         // 0: a fresh model; at most the run's steps
  std::uint64_t checkpoint_every = 0;  // number of steps between checkpoints; 0: keep nothing
};

// A compute party's additive shares of the model, in Z/2^64.
struct ModelShares {
  std::vector<std::uint64_t> inverses;  // W, then A: upper triangles, one row per arm
  std::vector<std::uint64_t> targets;   // w, then b: one row per arm
};

struct OpenedCounts;

// The actor's question about the counts H, answered in one bit: whether threshold < q . H. Factors are at most 1 in
// size, and the threshold is at most 4 N in size. The answer to any question is one bit of the counts with their noise.
struct CountQuestion {
  std::vector<double> factors;  // q, one for each cell
  double threshold = 0;
};

// The part that a holder of features brings (FeatureHolders).
class Contexts {
 public:
  virtual ~Contexts() = default;
  // Writes the features that holder `holder` has in the context of step `step`: for each column, one word with
  // context_bits fraction bits. Where contexts are known ahead, this function is called before the step begins.
  virtual void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) = 0;
};

// The part that the actor brings. A run that plays calls pull(), which may block. A run about a log calls the other
// functions (apps/bandit/run/sites/site.h).
class Arms {
 public:
  virtual ~Arms() = default;
  // Pulls the arm `arm` in step `step`.
  virtual void pull(std::uint64_t step, std::size_t arm);
  // logged_arm: the arm that was played at event `step`. logged_cell: the cell of that event, if the log is evaluated.
  [[nodiscard]] virtual std::size_t logged_arm(std::uint64_t step);
  [[nodiscard]] virtual std::size_t logged_cell(std::uint64_t step);
  // The results that the evaluation opens to the actor (evaluate/private_evaluation.h): the counts, or the answer to
  // its question.
  virtual void counts_shown(const OpenedCounts& counts);
  [[nodiscard]] virtual CountQuestion count_question();
  virtual void question_answered(bool answer);
};

// The part that the rewarder brings. The functions of this part may block.
class Rewards {
 public:
  virtual ~Rewards() = default;
  // The reward of step `step`: a word with reward_bits fraction bits, rounded without bias.
  virtual std::uint64_t reward(std::uint64_t step) = 0;
  // In batches: the rewards of consecutive steps from `first`, each in the form of reward().
  virtual void rewards(std::uint64_t first, std::span<std::uint64_t> out);
};

// The part that a compute party or an owner brings if a log is evaluated.
class CountNoise {
 public:
  virtual ~CountNoise() = default;
  // At a compute party: its part of the uniform words that check the actor's inputs.
  virtual void draw_coins(std::span<std::uint64_t> out) = 0;
  // Writes the noise that the role adds to the count of each cell, one word of `out` per cell. A party without features
  // writes zeros. Called once per run.
  virtual void draw_noise(std::span<std::uint64_t> out) = 0;
  // With noise in learning: writes the noise that the role adds to A, as upper triangles of `features` rows, and to b,
  // in units of 2^-bits (batch/noised_sums.h). A holder without noise in learning writes zeros. Called once per run,
  // before draw_noise().
  virtual void draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out);
  virtual void draw_target_noise(unsigned bits, std::span<std::uint64_t> out);
};

// A part that any role may have.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void step_begins(std::uint64_t /*step*/) {}
  // In batches: called when the arms of `steps` steps from `first` are decided and pulled. The rewards of decided steps
  // are requested later, all rewards of a batch at once.
  virtual void decided(std::uint64_t /*first*/, std::size_t /*steps*/) {}
  virtual void step_done(std::uint64_t /*step*/) {}
};

// The part that a role brings if it keeps its state, and that a party brings if it begins from a model.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // At a compute party: the id of the checkpoint after `steps` steps, from the digest of the model's public words.
  virtual CheckpointId name_checkpoint(std::uint64_t steps, const net::Digest& public_words) = 0;
  // Called after name_checkpoint(), at every role. A compute party gets its shares; other roles get empty shares. All
  // nodes get the id, except the dealer, which gets zeros. The call may write to a disk.
  virtual void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) = 0;
  // At a compute party of a resumed run: writes into `shares` the shares that the party kept at step `steps`. At step
  // 0, writes the shares of the model that the run begins from. `shares` already has the right sizes.
  virtual void load(std::uint64_t steps, ModelShares& shares) = 0;
};

template <class Part>
concept SitePart = std::derived_from<Part, Contexts> || std::derived_from<Part, Arms> ||
    std::derived_from<Part, Rewards> || std::derived_from<Part, CountNoise> || std::derived_from<Part, StepObserver> ||
    std::derived_from<Part, CheckpointStore>;

class BanditSite {
 public:
  // The site of a role that brings nothing: the dealer, the planner.
  BanditSite() = default;
  explicit BanditSite(SitePart auto&... parts) requires(sizeof...(parts) > 0) { (add(parts), ...); }
  // `part` is of one or several of the six kinds, and must outlive this site. A new part replaces an earlier part of
  // the same kind. Observers are all kept, and are called in the order in which they were added.
  template <SitePart Part>
  void add(Part& part) {
    if constexpr (std::derived_from<Part, Contexts>) contexts_ = &part;
    if constexpr (std::derived_from<Part, Arms>) arms_ = &part;
    if constexpr (std::derived_from<Part, Rewards>) rewards_ = &part;
    if constexpr (std::derived_from<Part, CountNoise>) count_noise_ = &part;
    if constexpr (std::derived_from<Part, CheckpointStore>) checkpoints_ = &part;
    if constexpr (std::derived_from<Part, StepObserver>) observers_.push_back(&part);
  }

  // These functions throw std::logic_error if the role does not have the part.
  [[nodiscard]] Contexts& contexts() const;
  [[nodiscard]] Arms& arms() const;
  [[nodiscard]] Rewards& rewards() const;
  [[nodiscard]] CountNoise& count_noise() const;
  // Null if the role does not keep its state.
  [[nodiscard]] CheckpointStore* checkpoints() const noexcept { return checkpoints_; }

  void step_begins(std::uint64_t step) const;
  void decided(std::uint64_t first, std::size_t steps) const;
  void step_done(std::uint64_t step) const;

 private:
  Contexts* contexts_ = nullptr;
  Arms* arms_ = nullptr;
  Rewards* rewards_ = nullptr;
  CountNoise* count_noise_ = nullptr;
  CheckpointStore* checkpoints_ = nullptr;
  std::vector<StepObserver*> observers_;
};

// A site that implements the given parts itself.
template <SitePart... Parts>
class SiteOf : public BanditSite, public Parts... {
 public:
  SiteOf() { (add(static_cast<Parts&>(*this)), ...); }
  SiteOf(const SiteOf&) = delete;
  SiteOf& operator=(const SiteOf&) = delete;
};

}  // namespace sotto::apps::bandit
