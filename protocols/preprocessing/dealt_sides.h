// The two sides of dealt preprocessing (dealt.h). Shares of parties 0..n-2 are expansions of their seeds. The last
// party's share is a correction of `bits` bits a lane in the chunk of the round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// The dealer: knows every mask and writes the corrections.
class DealtAtDealer final : public Dealt, public ChunkWriter {
 public:
  // The caller must have derived all seeds for this session and epoch.
  DealtAtDealer(Ledger& ledger, const std::vector<Seed>& seeds, const Seed& coins);

  [[nodiscard]] Bytes take_chunk() override;
  void give_back(Bytes buffer) override;

 private:
  [[nodiscard]] Words uniform(std::size_t lanes, unsigned bits, Group group) override;
  void add_uniform(Words& to, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Prg& coins() override { return coins_; }
  [[nodiscard]] Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) override;
  void distribute_bytes(std::span<std::uint8_t> values, unsigned bits) override;

  std::vector<Prg> nodes_;
  Prg coins_;
  Words correction_;
  Bytes expansion_;
  Bytes chunk_;
  Bytes spare_;
};

// A compute party, or a node outside the parties, which knows the masks of its own inputs.
class DealtAtNode final : public Dealt, public ChunkReader {
 public:
  DealtAtNode(Ledger& ledger, NodeId self, const Seed& seed);

  void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) override;
  void finish_chunk() override;

 private:
  [[nodiscard]] Words uniform(std::size_t lanes, unsigned bits, Group group) override;
  void add_uniform(Words& to, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) override;
  void add_dealt(Words& to, std::size_t lanes) override;
  void take_entries(const Tables& tables, std::span<std::uint64_t> sum) override;
  [[nodiscard]] std::span<const std::byte> next_corrections(std::size_t bytes);

  NodeId self_;
  bool computes_;
  bool last_;
  Prg expansion_;
  std::uint64_t chunks_ = 0;
  std::span<const std::byte> chunk_;
};

// sum[lane] += (this party's share of the lane's entry) << tables.raise, in Z/2^64. Only public positions decide which
// entries are read.

void add_expanded_entries(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum);

void add_packed_entries(std::span<const std::byte> packed, const Tables& tables, std::span<std::uint64_t> sum);

}  // namespace sotto::protocols
