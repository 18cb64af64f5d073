// Material: what a program asks of preprocessing, and the stock that keeps it where it was made before (tape.h).
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace sotto::protocols
