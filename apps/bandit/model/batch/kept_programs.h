// decide, agree and learn, each as a program of its own. A service or a library runs these programs one after the
// other.
//
// Each role brings its own inputs and leaves the inputs of other roles empty. A place of the batch without an event has
// zeros as context, as one-hot and as reward, so it is not learned. Where arms are compared, a place without an event
// is marked as having no arm. No caller gets the arm that is decided for a place without an event.
//
// For rounds and bytes see decide.h and learn.h, at the given size. Between programs, each party has its own shares of
// the model (include/sotto/protocol/io/checkpoint_shares.h). Each program masks again the shares that it uses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::bandit {

// A party's own words of the model (learn.h), one row per arm.
struct ModelWords {
  std::vector<std::uint64_t> gram, inverse;     // upper triangles, A x D (D + 1) / 2
  std::vector<std::uint64_t> targets, weights;  // A x D

  friend bool operator==(const ModelWords&, const ModelWords&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ModelWords& model);
// Returns nothing if the bytes are not a model of the plan's shape.
[[nodiscard]] std::optional<ModelWords> decode_model_words(std::span<const std::byte> bytes, const BatchPlan& plan);

// `openings` is the digest of the values that were opened and broadcast among the parties (Rounds::openings).
// `openings` is zeros where `check_openings` is not set.
struct DecideResult {
  std::vector<std::uint16_t> arms;  // at the actor: the arm of every place
  std::vector<std::byte> lanes;     // at a party: the words that it sent to the actor, one byte per arm
  net::Digest openings{};           // at a party
};
struct DecideInputs {
  std::size_t size = 0;                     // number of events
  bool check_openings = false;              // set at a party
  std::shared_ptr<const ModelWords> model;  // at a party; null before the first learn
  std::vector<std::uint64_t> contexts;      // at a party: its features, one row per event, at the plan's context_bits
  protocols::AllowedArms allowed;           // at a party; empty: all arms are allowed
  // At a party: called with the party's result before the party sends any part of the arms to the actor.
  std::function<void(const DecideResult&)> before_arms_leave;
};
[[nodiscard]] Task<DecideResult> run_decide(Party& party, const BatchPlan& plan, DecideInputs inputs);

struct AgreeInputs {
  std::size_t size = 0;
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  protocols::AllowedArms allowed;
  // At the actor: the played arm of each event. An event without an arm, or beyond the end of the list, does not count.
  std::vector<std::optional<std::uint16_t>> played;
  std::uint64_t shown = 0;               // at a party: its share of the number that the actor learns
  std::array<std::uint64_t, 2> coins{};  // at a party: fresh random words from its operating system
};
struct AgreeResult {
  std::uint64_t agreed = 0;      // at a party: its share of the number of events whose played arm is the best arm
  std::vector<std::byte> lanes;  // at a party: the 8 bytes that it sent to the actor
  std::uint64_t shown = 0;       // at the actor: the number that it learns
  net::Digest openings{};        // at a party
};
[[nodiscard]] Task<AgreeResult> run_agree(Party& party, const BatchPlan& plan, AgreeInputs inputs);

struct LearnInputs {
  std::size_t size = 0;
  SumBits from{};  // if not zeros: the fraction bits that the model's A and b have before learn rounds them
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  std::vector<std::optional<std::uint16_t>> arms;  // at the actor; an event without an arm is not learned
  std::vector<std::uint64_t> rewards;  // at the rewarder, at the plan's reward_bits; 0 for an event that is not learned
  // At the rewarder, if the plan may skip events: 1 for a learned event, 0 for a skipped one.
  std::vector<std::uint64_t> learned;
};
struct LearnResult {
  std::shared_ptr<const ModelWords> model;  // at a party
  net::Digest public_words{};               // at a party: digest of the opened words of W and w, and of all openings
};
[[nodiscard]] Task<LearnResult> run_learn(Party& party, const BatchPlan& plan, LearnInputs inputs);

// The programs without any inputs. They show the costs, and the preprocessing that the programs request. `plan` must
// outlive the task.
[[nodiscard]] Task<Unit> decide_without_inputs(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> agree_without_inputs(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> learn_without_inputs(Party& party, const BatchPlan& plan, std::size_t size, SumBits from = {});

// Encodes rows of `columns` numbers as words, and adds rows of zeros until there are `rows` rows. Throws
// std::invalid_argument if there are more than `rows` rows.
[[nodiscard]] std::vector<std::uint64_t> encode_rows(const std::vector<std::vector<double>>& values, std::size_t rows,
                                                     std::size_t columns, unsigned fraction_bits);

}  // namespace sotto::apps::bandit
