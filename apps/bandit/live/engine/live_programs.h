// The programs of the decision service as its roles run them, one a number: a decide of a shape's size, one that is
// secret, and a learn.
//
// A role brings what is its own and leaves the rest empty. Places that no event fills have zeros: as contexts, as one-hot
// and as reward, so that they are not learned; what such a place is decided is nobody's.
//
// Rounds and bytes are those of decide.h, agree.h and learn.h at the shape's size. The model goes from one program to the next as
// each party's own shares (protocols/io/checkpoint_shares.h), which both programs mask anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/apps/bandit/batch/batch_plan.h"
#include "sotto/apps/bandit/live/order/entry.h"
#include "sotto/core/async/task.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/party/party.h"
#include "sotto/core/party/topology.h"
#include "sotto/protocols/compare/choose.h"

namespace sotto::apps {

// A party's own words of the model (learn.h), an arm a row: two upper triangles, two rows of weights.
struct LiveModel {
  std::vector<std::uint64_t> gram, inverse;     // A x D (D + 1) / 2
  std::vector<std::uint64_t> targets, weights;  // A x D

  friend bool operator==(const LiveModel&, const LiveModel&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const LiveModel& model);
// Nothing if the bytes are no model of the plan's shape.
[[nodiscard]] std::optional<LiveModel> decode_live_model(std::span<const std::byte> bytes, const BatchPlan& plan);

struct DecideInputs {
  std::size_t size = 0;                    // of the shape
  bool check_openings = false;             // a party
  std::shared_ptr<const LiveModel> model;  // a party; none before the first learn
  std::vector<std::uint64_t> contexts;     // a party: its columns, an event a row, at the plan's context_bits
  protocols::AllowedArms allowed;          // a party; empty: all
};
// `openings`: of what was opened and broadcast among the parties (Rounds::openings); zeros where `check_openings` is not
// set.
struct DecideResult {
  std::vector<std::uint16_t> arms;  // the actor: of every place
  std::vector<std::byte> lanes;     // a party: what it sent to the actor, an arm a byte
  net::Digest openings{};           // a party
};
[[nodiscard]] Task<DecideResult> run_decide(Party& party, const BatchPlan& plan, DecideInputs inputs);

struct AgreeInputs {
  std::size_t size = 0;
  bool check_openings = false;
  std::shared_ptr<const LiveModel> model;
  std::vector<std::uint64_t> contexts;
  protocols::AllowedArms allowed;
  std::vector<std::optional<std::uint16_t>> played;  // the actor; places that no event fills do not count
  std::uint64_t shown = 0;                           // a party: its share of what the actor is shown
};
struct AgreeResult {
  std::uint64_t agreed = 0;      // a party: its share of how many events agree
  std::vector<std::byte> lanes;  // a party: the 8 bytes that it sent to the actor
  std::uint64_t shown = 0;       // the actor
  net::Digest openings{};        // a party
};
[[nodiscard]] Task<AgreeResult> run_agree(Party& party, const BatchPlan& plan, AgreeInputs inputs);

struct LearnInputs {
  std::size_t size = 0;
  SumBits from{};  // of the shape: A and b of the model have so many fraction bits, and are rounded first
  bool check_openings = false;
  std::shared_ptr<const LiveModel> model;
  std::vector<std::uint64_t> contexts;
  std::vector<std::optional<std::uint16_t>> arms;  // the actor; nothing: not learned
  std::vector<std::uint64_t> rewards;              // the rewarder, at the plan's reward_bits; 0 where not learned
  std::vector<std::uint64_t> learned;              // the rewarder, where the plan may skip: 1 or 0
};
struct LearnResult {
  std::shared_ptr<const LiveModel> model;  // a party
  net::Digest public_words{};              // a party: of what all parties opened of W and w, and of all openings
};
[[nodiscard]] Task<LearnResult> run_learn(Party& party, const BatchPlan& plan, LearnInputs inputs);

// A program of that shape to which nobody brings anything: for its costs, and for what it asks of preprocessing. `plan`
// outlives the task.
[[nodiscard]] Task<Unit> play_shape(Party& party, const BatchPlan& plan, ProgramShape shape);

// Payload bytes that no frame of a learn of that shape exceeds.
[[nodiscard]] std::size_t longest_learn_frame(const Topology& topology, const BatchPlan& plan,
                                              const ProgramShape& shape);

// Rounds of a program of this shape.
[[nodiscard]] std::uint64_t rounds_of(const BatchPlan& plan, const ProgramShape& shape);

// The arms that each place of a decide allows, for its parties; empty where none is barred.
[[nodiscard]] protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms);

// Rows of numbers as words, then zeros up to `rows` rows of `columns`. std::invalid_argument where there are more.
[[nodiscard]] std::vector<std::uint64_t> encode_rows(const std::vector<std::vector<double>>& values, std::size_t rows,
                                                     std::size_t columns, unsigned fraction_bits);

}  // namespace sotto::apps
