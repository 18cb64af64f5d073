// The account of a run: rounds, bytes and dealt bytes, by phase and by round of a phase.
//
// Every role keeps a ledger. All roles register the same slots, so the ledger of any role, the planner included, holds
// the exact bytes that every node sends. The planned bytes, the bytes of the registered slots, and the counters of the
// links must be equal (tests compare them).
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
  std::uint64_t dealt = 0;                      // bytes of the dealer's chunks to the last party, headers included

  // The helper, if there is one, is counted as a party.
  [[nodiscard]] std::uint64_t sent_by_largest_party(const Topology& topology) const;
  Cost& operator+=(const Cost& other);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A round of the pattern that a phase repeats.
struct RoundCost {
  std::string labels;  // the labels of the round's slots, in order, each once, joined by ", "
  Cost cost;
};

class Ledger {
 public:
  struct Phase {
    std::string name;
    Cost total;
    // The rounds of the second pass, or of the only pass. The first pass differs from later passes, because it starts
    // from constants.
    std::vector<RoundCost> rounds;
    std::uint64_t passes = 0;  // how often the phase was entered
    bool detailed = true;      // `rounds` still grows
  };

  explicit Ledger(Topology topology) : topology_(topology) {}

  // From this call on, the ledger adds costs to the phase `name`. Entering a phase again begins another pass of the
  // phase.
  void enter(std::string_view name);

  // Adds `times` times the amount by which `longer` exceeds this ledger. `longer` is the ledger of the same program
  // with one more repetition of a part of the program. Throws std::invalid_argument if the two ledgers have different
  // phases, or if a phase costs less in `longer`.
  void repeat(const Ledger& longer, std::uint64_t times);

  void count_round(std::span<const Slot> slots);
  void count_dealt(std::uint64_t bytes);

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }
  // The number of the current phase; 0 before the first phase.
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
