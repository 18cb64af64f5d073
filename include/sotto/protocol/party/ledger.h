// The account of a run: rounds, bytes and dealt bytes, by phase. Every role has the exact account of all nodes, because
// all roles register the same slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/party/slot.h"
#include "sotto/protocol/party/topology.h"

namespace sotto {

struct Cost {
  std::uint64_t rounds = 0;
  std::array<std::uint64_t, max_nodes> sent{};  // bytes that each node sends to all peers, headers included
  std::uint64_t dealt = 0;                      // bytes of the dealer's chunks, headers included

  // Counts the helper as a party.
  [[nodiscard]] std::uint64_t sent_by_largest_party(const Topology& topology) const;
  Cost& operator+=(const Cost& other);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// The costs of one round of a phase.
struct RoundCost {
  std::string labels;  // the labels of the round's slots, each once, joined by ", "
  Cost cost;
};

class Ledger {
 public:
  struct Phase {
    std::string name;
    Cost total;
    // Each call of enter() begins a pass of the phase. `rounds` has the rounds of the second pass, or of the only pass.
    // The first pass may have other rounds, because values may still be public constants in this pass.
    std::vector<RoundCost> rounds;
    std::uint64_t passes = 0;
    bool detailed = true;
  };

  explicit Ledger(Topology topology) : topology_(topology) {}

  // Begins another pass of the phase `name`. Later costs are added to this phase.
  void enter(std::string_view name);

  // Adds the costs of `times` more repetitions. `longer` is the ledger of the same program with one repetition more, so
  // one repetition costs `longer` minus this ledger. Throws std::invalid_argument if phases differ, or if a phase costs
  // less in `longer`.
  void repeat(const Ledger& longer, std::uint64_t times);

  void count_round(std::span<const Slot> slots);
  void count_dealt(std::uint64_t bytes);

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }
  // The number of the current phase, or 0 before the first phase.
  [[nodiscard]] std::size_t current_phase() const noexcept { return current_; }
  [[nodiscard]] Cost total() const;
  // The bytes of the dealer's largest chunk, header included.
  [[nodiscard]] std::uint64_t largest_chunk() const noexcept { return largest_chunk_; }
  // The cost of the phase with this name; zero if there is no such phase.
  [[nodiscard]] Cost of(std::string_view name) const;

 private:
  Phase& current();

  Topology topology_;
  std::vector<Phase> phases_;
  std::size_t current_ = 0;
  std::uint64_t dealt_since_round_ = 0;
  std::uint64_t largest_chunk_ = 0;
};

}  // namespace sotto
