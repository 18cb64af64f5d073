// The three sides of preprocessing (core/party/correlations.h): the dealer, the nodes, the planner.
//
// Seed compression: shares of parties 0..n-2 are expansions of their seeds; the last party's share is a correction,
// packed to `bits` bits a lane, in the chunk of the round. A uniform mask needs no correction: it is the sum of the
// expansions. The dealer never sees a message of the parties; it learns nothing but the shape of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/core/async/pool.h"
#include "sotto/core/party/correlations.h"
#include "sotto/core/party/ledger.h"
#include "sotto/core/party/rounds.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::protocols {

// The dealer: knows every mask, writes the corrections.
class DealerCorrelations final : public Correlations, public ChunkWriter {
 public:
  // `seeds` by node, `coins` for private samples, both already derived for this session and epoch.
  DealerCorrelations(Ledger& ledger, const std::vector<Seed>& seeds, const Seed& coins);

  [[nodiscard]] Words uniform(std::size_t lanes, unsigned bits, Group group) override;
  void add_uniform(Words& to, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Bytes take_chunk() override;
  void give_back(Bytes buffer) override;

 private:
  [[nodiscard]] bool at_dealer() const noexcept override { return true; }
  [[nodiscard]] Prg& coins() override { return coins_; }
  [[nodiscard]] Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) override;
  void distribute_bytes(std::span<std::uint8_t> values, unsigned bits) override;

  Ledger& ledger_;
  std::vector<Prg> nodes_;
  Prg coins_;
  Words correction_;
  Bytes expansion_;
  Bytes chunk_;
  Bytes spare_;
};

// A compute party, or a node outside that knows masks of its own inputs.
class NodeCorrelations final : public Correlations, public ChunkReader {
 public:
  // `seed` is already derived for this session and epoch.
  NodeCorrelations(Ledger& ledger, NodeId self, const Seed& seed);

  [[nodiscard]] Words uniform(std::size_t lanes, unsigned bits, Group group) override;
  void add_uniform(Words& to, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) override;
  void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) override;
  void finish_chunk() override;

 private:
  [[nodiscard]] bool at_dealer() const noexcept override { return false; }
  [[nodiscard]] Prg& coins() override;
  [[nodiscard]] Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) override;
  void add_dealt(Words& to, std::size_t lanes) override;
  void take_entries(const Tables& tables, std::span<std::uint64_t> sum, unsigned raise) override;
  [[nodiscard]] std::span<const std::byte> next_corrections(std::size_t bytes);

  Ledger& ledger_;
  NodeId self_;
  bool computes_;
  bool last_;
  Prg expansion_;
  std::uint64_t chunks_ = 0;
  std::span<const std::byte> chunk_;
};

// The planner: counts, and holds nothing.
class PlannedCorrelations final : public Correlations {
 public:
  explicit PlannedCorrelations(Ledger& ledger) : ledger_(ledger) {}
  [[nodiscard]] Words uniform(std::size_t, unsigned, Group) override { return {}; }
  void add_uniform(Words&, std::size_t, unsigned) override {}
  [[nodiscard]] Words uniform_known_to(NodeId, std::size_t, unsigned) override { return {}; }

 private:
  [[nodiscard]] bool at_dealer() const noexcept override { return false; }
  [[nodiscard]] Prg& coins() override;
  [[nodiscard]] Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) override;
  void add_dealt(Words& to, std::size_t lanes) override;
  void take_entries(const Tables& tables, std::span<std::uint64_t> sum, unsigned raise) override;

  Ledger& ledger_;
};

}  // namespace sotto::protocols
