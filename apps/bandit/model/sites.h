// What a role brings to a run of the bandit, and keeps of it: six parts, of which each role has those that are its
// own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit {

// By what the roles of a run know that their checkpoints belong together.
//
//     id = SHA-256("sotto checkpoint", id of the checkpoint before, session of the links, epoch, step,
//                  SHA-256 of the public words of the model)
//
// The public words are the masked values that all compute parties opened, so all have the same and each computes the id
// by itself; the actor and the rewarder are told it. It covers the whole schedule of the run up to there. Two
// checkpoints of one step have one id only if they are of one epoch of one start, so shares under one id add up. The
// masks are uniform, so the id tells nothing of the model.

using CheckpointId = net::Digest;

// What an id is made of beside the model. `before` is zeros at the first checkpoint of a run.
struct CheckpointPlace {
  CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
  std::uint64_t steps = 0;  // done
};

[[nodiscard]] CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words);

// SHA-256 of the words, one after the other, each in eight bytes, the lowest first.
[[nodiscard]] net::Digest digest_of(std::span<const std::uint64_t> words);

// Where a run starts and when it keeps its state: the same at every role.
struct BanditSchedule {
  std::uint64_t from_step = 0;         // 0: a fresh model; at most the run's steps
  std::uint64_t checkpoint_every = 0;  // steps; 0: keep nothing
};

// A compute party's additive shares of the model in Z/2^64.
struct ModelShares {
  std::vector<std::uint64_t> inverses;  // W, then A: upper triangles, an arm a row
  std::vector<std::uint64_t> targets;   // w, then b: an arm a row
};

struct OpenedCounts;

// What the actor asks of the counts H in one bit: whether threshold < q . H. Factors are at most 1 in size, the
// threshold at most 4 N. Whatever it asks is one bit of what the counts with their noise say.
struct CountQuestion {
  std::vector<double> factors;  // q, of each cell
  double threshold = 0;
};

// Of a holder of features (FeatureHolders).
class Contexts {
 public:
  virtual ~Contexts() = default;
  // Part `holder` of context `step`, in words of context_bits fraction bits; `out` has its columns. Where contexts are
  // known ahead it is asked for before the step begins.
  virtual void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) = 0;
};

// Of the actor. Of a run that plays: pull(), which may block. Of one about a log (apps/bandit/run/sites/site.h) the
// others.
class Arms {
 public:
  virtual ~Arms() = default;
  // Pulls the arm of this step.
  virtual void pull(std::uint64_t step, std::size_t arm);
  // The arm that was played at that event; and where the log is evaluated, its cell.
  [[nodiscard]] virtual std::size_t logged_arm(std::uint64_t step);
  [[nodiscard]] virtual std::size_t logged_cell(std::uint64_t step);
  // What the evaluation opens to it (evaluate/private_evaluation.h): the counts, or the answer to its question.
  virtual void counts_shown(const OpenedCounts& counts);
  [[nodiscard]] virtual CountQuestion count_question();
  virtual void question_answered(bool answer);
};

// Of the rewarder. May block.
class Rewards {
 public:
  virtual ~Rewards() = default;
  // The reward of this step, a word of reward_bits fraction bits, rounded without bias.
  virtual std::uint64_t reward(std::uint64_t step) = 0;
  // In batches: those of the steps from `first` on, each as reward() gives it.
  virtual void rewards(std::uint64_t first, std::span<std::uint64_t> out);
};

// Of a compute party and of an owner, where a log is evaluated.
class CountNoise {
 public:
  virtual ~CountNoise() = default;
  // At a compute party: its part of words that check what the actor has brought. Uniform.
  virtual void draw_coins(std::span<std::uint64_t> out) = 0;
  // What it adds to the count of each cell, all words of `out`: zeros at a party without features. Once a run.
  virtual void draw_noise(std::span<std::uint64_t> out) = 0;
  // With noise in learning, what it adds to A, upper triangles of `features` rows, and to b, in units of
  // 2^-bits (batch/noised_sums.h): zeros at a holder without. Once a run, before draw_noise().
  virtual void draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out);
  virtual void draw_target_noise(unsigned bits, std::span<std::uint64_t> out);
};

// Of any role.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void step_begins(std::uint64_t /*step*/) {}
  // In batches: the arms of these steps are decided, and at the actor they were pulled. Their rewards are asked for
  // later, those of a batch at once.
  virtual void decided(std::uint64_t /*first*/, std::size_t /*steps*/) {}
  virtual void step_done(std::uint64_t /*step*/) {}
};

// Of a role that keeps its state, or of a party that begins from a model.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // At a compute party: the id of the checkpoint after `steps` steps, from the digest of the model's public words.
  virtual CheckpointId name_checkpoint(std::uint64_t steps, const net::Digest& public_words) = 0;
  // Then at every role. At a compute party with its shares, elsewhere with empty ones; at all nodes with the id, at the
  // dealer with zeros. May write to a disk.
  virtual void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) = 0;
  // At a compute party of a run that goes on: the shares that it kept at that step; at step 0 those of the model that
  // the run begins from. Of the sizes that `shares` comes with.
  virtual void load(std::uint64_t steps, ModelShares& shares) = 0;
};

template <class Part>
concept SitePart = std::derived_from<Part, Contexts> || std::derived_from<Part, Arms> ||
    std::derived_from<Part, Rewards> || std::derived_from<Part, CountNoise> || std::derived_from<Part, StepObserver> ||
    std::derived_from<Part, CheckpointStore>;

class BanditSite {
 public:
  // Of a role that brings nothing: the dealer, the planner.
  BanditSite() = default;
  explicit BanditSite(SitePart auto&... parts) requires(sizeof...(parts) > 0) { (add(parts), ...); }
  // `part` is one of the six or several, and must outlive this. It takes the place of an earlier one, but observers
  // are all told, in the order in which they came.
  template <SitePart Part>
  void add(Part& part) {
    if constexpr (std::derived_from<Part, Contexts>) contexts_ = &part;
    if constexpr (std::derived_from<Part, Arms>) arms_ = &part;
    if constexpr (std::derived_from<Part, Rewards>) rewards_ = &part;
    if constexpr (std::derived_from<Part, CountNoise>) count_noise_ = &part;
    if constexpr (std::derived_from<Part, CheckpointStore>) checkpoints_ = &part;
    if constexpr (std::derived_from<Part, StepObserver>) observers_.push_back(&part);
  }

  // Throw std::logic_error where the role has none.
  [[nodiscard]] Contexts& contexts() const;
  [[nodiscard]] Arms& arms() const;
  [[nodiscard]] Rewards& rewards() const;
  [[nodiscard]] CountNoise& count_noise() const;
  // Null where the role has none.
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

// A site that is these parts itself.
template <SitePart... Parts>
class SiteOf : public BanditSite, public Parts... {
 public:
  SiteOf() { (add(static_cast<Parts&>(*this)), ...); }
  SiteOf(const SiteOf&) = delete;
  SiteOf& operator=(const SiteOf&) = delete;
};

}  // namespace sotto::apps::bandit
