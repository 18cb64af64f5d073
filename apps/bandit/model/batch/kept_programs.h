// Decide, agree and learn, each a program of its own: what a service or a library runs one after the other.
//
// A role brings what is its own and leaves the rest empty. Places that no event fills have zeros: as contexts, as
// one-hot and as reward, so that they are not learned, and where arms are compared the mark of no arm; what such a
// place is decided is nobody's.
//
// Rounds and bytes are those of decide.h and learn.h at the size. The model goes from one program to the next
// as each party's own shares (include/sotto/protocol/io/checkpoint_shares.h), which both programs mask anew.
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

// A party's own words of the model (learn.h), an arm a row: two upper triangles, two rows of weights.
struct ModelWords {
  std::vector<std::uint64_t> gram, inverse;     // A x D (D + 1) / 2
  std::vector<std::uint64_t> targets, weights;  // A x D

  friend bool operator==(const ModelWords&, const ModelWords&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ModelWords& model);
// Nothing if the bytes are no model of the plan's shape.
[[nodiscard]] std::optional<ModelWords> decode_model_words(std::span<const std::byte> bytes, const BatchPlan& plan);

// `openings`: of what was opened and broadcast among the parties (Rounds::openings); zeros where `check_openings` is
// not set.
struct DecideResult {
  std::vector<std::uint16_t> arms;  // the actor: of every place
  std::vector<std::byte> lanes;     // a party: what it sent to the actor, an arm a byte
  net::Digest openings{};           // a party
};
struct DecideInputs {
  std::size_t size = 0;                     // events
  bool check_openings = false;              // a party
  std::shared_ptr<const ModelWords> model;  // a party; none before the first learn
  std::vector<std::uint64_t> contexts;      // a party: its columns, an event a row, at the plan's context_bits
  protocols::AllowedArms allowed;           // a party; empty: all
  // A party: called with what the program gives it, before any of its parts of the arms leave for the actor.
  std::function<void(const DecideResult&)> before_arms_leave;
};
[[nodiscard]] Task<DecideResult> run_decide(Party& party, const BatchPlan& plan, DecideInputs inputs);

struct AgreeInputs {
  std::size_t size = 0;
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  protocols::AllowedArms allowed;
  std::vector<std::optional<std::uint16_t>> played;  // the actor; nothing, and no place: the event does not count
  std::uint64_t shown = 0;                           // a party: its share of what the actor is shown
  std::array<std::uint64_t, 2> coins{};              // a party: fresh from its system
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
  SumBits from{};  // events: A and b of the model have so many fraction bits, and are rounded first
  bool check_openings = false;
  std::shared_ptr<const ModelWords> model;
  std::vector<std::uint64_t> contexts;
  std::vector<std::optional<std::uint16_t>> arms;  // the actor; nothing: not learned
  std::vector<std::uint64_t> rewards;              // the rewarder, at the plan's reward_bits; 0 where not learned
  std::vector<std::uint64_t> learned;              // the rewarder, where the plan may skip: 1 or 0
};
struct LearnResult {
  std::shared_ptr<const ModelWords> model;  // a party
  net::Digest public_words{};               // a party: of what all parties opened of W and w, and of all openings
};
[[nodiscard]] Task<LearnResult> run_learn(Party& party, const BatchPlan& plan, LearnInputs inputs);

// Programs to which nobody brings anything: for their costs, and for what they ask of preprocessing. `plan` outlives
// the task.
[[nodiscard]] Task<Unit> decide_of_nobody(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> agree_of_nobody(Party& party, const BatchPlan& plan, std::size_t size);
[[nodiscard]] Task<Unit> learn_of_nobody(Party& party, const BatchPlan& plan, std::size_t size, SumBits from = {});

// Rows of numbers as words, then zeros up to `rows` rows of `columns`. std::invalid_argument where there are more.
[[nodiscard]] std::vector<std::uint64_t> encode_rows(const std::vector<std::vector<double>>& values, std::size_t rows,
                                                     std::size_t columns, unsigned fraction_bits);

}  // namespace sotto::apps::bandit
