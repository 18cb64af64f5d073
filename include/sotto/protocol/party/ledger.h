// The account of a run: rounds, bytes and dealt bytes, by phase and by round of a phase.
//
// Every role keeps one. Since all register the same slots, the ledger of any role, the planner's included, holds the
// exact bytes that every node sends: planned equals declared, and the links' own counters must agree (tests compare
// them).
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
  std::array<std::uint64_t, max_nodes> sent{};  // bytes that each node sends to all, headers included
  std::uint64_t dealt = 0;                      // bytes of the dealer's chunks to the last party, headers included

  // The helper, where there is one, is counted among the parties.
  [[nodiscard]] std::uint64_t sent_by_largest_party(const Topology& topology) const;
  Cost& operator+=(const Cost& other);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A round of the pattern that a phase repeats.
struct RoundCost {
  std::string labels;  // of its slots, in order, each once, joined by ", "
  Cost cost;
};

class Ledger {
 public:
  struct Phase {
    std::string name;
    Cost total;
    std::vector<RoundCost> rounds;  // of the second pass where there is one: the first starts from constants
    std::uint64_t passes = 0;       // how often the phase was entered
    bool detailed = true;           // `rounds` still grows
  };

  explicit Ledger(Topology topology) : topology_(topology) {}

  // From here on the account is of `name`. Entering a phase again is another pass through it.
  void enter(std::string_view name);

  // Adds `times` times what `longer` has more than this ledger: that of a program which is the same but for repeating a
  // part of itself once more. Throws std::invalid_argument where the phases are not the same, or cost less there.
  void repeat(const Ledger& longer, std::uint64_t times);

  void count_round(std::span<const Slot> slots);
  void count_dealt(std::uint64_t bytes);

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }
  // The number of the phase that the account is of; 0 before the first.
  [[nodiscard]] std::size_t current_phase() const noexcept { return current_; }
  [[nodiscard]] Cost total() const;
  // Bytes of the largest of the dealer's chunks, its header included.
  [[nodiscard]] std::uint64_t largest_chunk() const noexcept { return largest_chunk_; }
  // The phase of that name; a phase of no cost where there is none.
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
