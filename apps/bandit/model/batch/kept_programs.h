// The three programs `decide`, `agree` and `learn`, in a form for a service or a library.
//
// Each role brings its own inputs, and leaves the inputs of other roles empty. If a batch has fewer events than `size`,
// the contexts, one-hots and rewards of the unused rows are zeros. A program learns nothing from an unused row.
//
// Between programs, each party stores its own shares of the model. At the start of a program, the parties mask the
// shares that the program uses (include/sotto/protocol/io/checkpoint_shares.h).
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

// One row per arm.
struct ModelWords {
  std::vector<std::uint64_t> gram, inverse;     // upper triangles
  std::vector<std::uint64_t> targets, weights;  // A x D

  friend bool operator==(const ModelWords&, const ModelWords&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ModelWords& model);
[[nodiscard]] std::optional<ModelWords> decode_model_words(std::span<const std::byte> bytes, const BatchPlan& plan);

// `openings` is the digest of the values that the parties opened among each other, or zeros without `check_openings`.
struct DecideResult {
  std::vector<std::uint16_t> arms;  // at the actor
  std::vector<std::byte> lanes;     // the bytes that a party sent to the actor
  std::vector<std::uint8_t> best;   // at a party, with BatchPlan::notes_best: its share of each place's bit (decide.h)
  net::Digest openings{};           // at a party
};
struct DecideInputs {
  std::size_t size = 0;
  bool check_openings = false;              // at a party
  std::shared_ptr<const ModelWords> model;  // null before the first learn
  std::vector<std::uint64_t> contexts;      // at a party
  protocols::AllowedArms allowed;           // at a party
  // Called at a party before the party sends any part of the arms to the actor.
  std::function<void(const DecideResult&)> before_arms_leave;
};
[[nodiscard]] Task<DecideResult> run_decide(Party& party, const BatchPlan& plan, DecideInputs inputs);

struct AgreeInputs {
  std::size_t size = 0;
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  protocols::AllowedArms allowed;
  // An event does not count if its element is empty, or if the list is too short to contain the event.
  std::vector<std::optional<std::uint16_t>> played;
  std::uint64_t shown = 0;               // a party's share of H (decide.h)
  std::array<std::uint64_t, 2> coins{};  // fresh random words of a party
};
struct AgreeResult {
  std::uint64_t agreed = 0;      // a party's share of the count
  std::vector<std::byte> lanes;  // the bytes that a party sent to the actor
  std::uint64_t shown = 0;       // H, at the actor
  net::Digest openings{};        // at a party
};
[[nodiscard]] Task<AgreeResult> run_agree(Party& party, const BatchPlan& plan, AgreeInputs inputs);

// The inputs of the roles to the counts of the lift (lift.h). Zeros continue a list that is too short, and events
// without a level continue `rewards`.
struct LiftInputs {
  std::vector<std::uint8_t> best;                   // at a party: its share of each event's bit
  std::vector<std::uint8_t> counted;                // at a party
  std::array<std::uint64_t, 2> coins{};             // fresh random words of a party
  std::vector<std::uint64_t> shown;                 // a party's share of H
  std::vector<std::uint8_t> told;                   // at the actor
  std::vector<std::uint8_t> base;                   // at the actor
  std::vector<std::optional<std::size_t>> rewards;  // at the rewarder: the level of each event's reward
  std::vector<std::uint64_t> noise;                 // at the rewarder
};

struct LearnInputs {
  std::size_t size = 0;
  SumBits from{};  // fraction bits of an imported model's A and b, or zeros
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  std::vector<std::optional<std::uint16_t>> arms;  // at the actor
  std::vector<std::uint64_t> rewards;              // at the rewarder
  // Set only at the rewarder, and only if the plan may skip events.
  std::vector<std::uint64_t> learned;
  LiftInputs lift;  // used only with BatchPlan::lift_levels
};
struct LearnResult {
  std::shared_ptr<const ModelWords> model;  // at a party
  net::Digest public_words{};               // digest of the masked W and w; with check_openings also of all openings
  std::vector<std::uint64_t> lift;          // a party's shares of the counts of the lift
  std::vector<std::byte> lift_lanes;        // the bytes that a party sent to the actor
  std::vector<std::uint64_t> shown_lift;    // H with the rewarder's noise, at the actor
};
[[nodiscard]] Task<LearnResult> run_learn(Party& party, const BatchPlan& plan, LearnInputs inputs);

// `plan` must outlive the task.
[[nodiscard]] Task<Unit> decide_without_inputs(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> agree_without_inputs(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> learn_without_inputs(Party& party, const BatchPlan& plan, std::size_t size, SumBits from = {});

// Encodes `values`, and adds rows of zeros until there are `rows` rows. Throws std::invalid_argument if there are more
// than `rows` rows.
[[nodiscard]] std::vector<std::uint64_t> encode_rows(const std::vector<std::vector<double>>& values, std::size_t rows,
                                                     std::size_t columns, unsigned fraction_bits);

}  // namespace sotto::apps::bandit
