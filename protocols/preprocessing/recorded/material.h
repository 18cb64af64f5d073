// Material: what a program asks of preprocessing, and the stock that keeps it where it was made before (tape.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/party/preprocessing.h"

namespace sotto::protocols {

// The masks of some lanes of those that were made as one.
struct TruncationPart {
  std::size_t group, first, lanes;
};

// By kind of request, in the order of the program's.
struct RecordedMaterial {
  PoolVector<WordPieces> masks;
  PoolVector<InputPieces> inputs;
  PoolVector<WordPieces> bits;  // of random_bits: pieces that XOR to them
  PoolVector<TruncationMasks> truncation_groups;
  PoolVector<TruncationPart> truncations;
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
  PoolVector<Additive> numbers;    // of bits_as_numbers
  PoolVector<Additive> indices;    // of add_index_mask
  PoolVector<TableShares> tables;  // of all requests of tables: table_material.h
  PoolVector<Additive> places;     // of explored_places

  // All of them, for what is written and read.
  static void describe(auto& self, auto&& field) {
    field(self.masks);
    field(self.inputs);
    field(self.bits);
    field(self.truncation_groups);
    field(self.truncations);
    field(self.products);
    field(self.cuts);
    field(self.numbers);
    field(self.indices);
    field(self.tables);
    field(self.places);
  }
};

// Material of the program's first stretches that was made before, maybe on a disk. The same stretches are there at all
// roles.
class MaterialStock {
 public:
  virtual ~MaterialStock() = default;

  // How many there are, from the first on, and whether they are all of the program's.
  [[nodiscard]] virtual std::uint64_t stretches() const = 0;
  [[nodiscard]] virtual bool is_whole() const = 0;
  // Stretch `number` as it was put: what a program uses is taken, and is then there no more, whatever happens.
  [[nodiscard]] virtual RecordedMaterial read(std::uint64_t number) = 0;
  [[nodiscard]] virtual RecordedMaterial take(std::uint64_t number) = 0;
  // The next one; `last`: the program has no more.
  virtual void put(const RecordedMaterial& material, bool last) = 0;
};

// Material of a stretch as bytes, for a stock on a disk.
//
// Each list of RecordedMaterial in the order of its description: its length, then each value: lanes and bits where it
// has them, then its words, each list of words with its length in front. Numbers are little-endian words. The decoder
// takes any bytes: every length is checked against what is there before anything is allocated, nothing may be left
// over, and what is accepted encodes to the same bytes. It does not know the requests: RecordedSide compares sizes.

[[nodiscard]] std::vector<std::byte> encode(const RecordedMaterial& material);
// Nothing if the bytes are no such material.
[[nodiscard]] std::optional<RecordedMaterial> decode_material(std::span<const std::byte> bytes);

}  // namespace sotto::protocols
