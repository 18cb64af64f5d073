// Material: what a program requests from preprocessing, and the stock for material that was made before (tape.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/party/preprocessing.h"

namespace sotto::protocols {

// Some lanes of a group of masks that were made together.
struct TruncationPart {
  std::size_t group, first, lanes;
};

// The values by kind of request, in the order of the program's requests.
struct RecordedMaterial {
  PoolVector<WordPieces> masks;
  PoolVector<InputPieces> inputs;
  PoolVector<WordPieces> bits;  // results of random_bits: pieces whose XOR is the bits
  PoolVector<TruncationMasks> truncation_groups;
  PoolVector<TruncationPart> truncations;
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
  PoolVector<Additive> numbers;    // results of bits_as_numbers
  PoolVector<Additive> indices;    // results of add_index_mask
  PoolVector<TableShares> tables;  // results of all requests of tables (table_material.h)
  PoolVector<Additive> places;     // results of explored_places

  // Passes all lists to `field`, for writing and reading.
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

// Material of the program's first stretches that was made before, perhaps on a disk. All roles have the same stretches.
class MaterialStock {
 public:
  virtual ~MaterialStock() = default;

  // The number of stretches, from the first on, and whether they are all of the program's stretches.
  [[nodiscard]] virtual std::uint64_t stretches() const = 0;
  [[nodiscard]] virtual bool is_whole() const = 0;
  // read() and take() return stretch `number`, equal to the material passed to put(). A program removes the stretches
  // that it uses with take(). A removed stretch never comes back, whatever happens.
  [[nodiscard]] virtual RecordedMaterial read(std::uint64_t number) = 0;
  [[nodiscard]] virtual RecordedMaterial take(std::uint64_t number) = 0;
  // Adds the next stretch. `last` is true if the program has no more stretches.
  virtual void put(const RecordedMaterial& material, bool last) = 0;
};

// Material of a stretch as bytes, for a stock on a disk.
//
// The lists of RecordedMaterial are written in the order of RecordedMaterial::describe(). A list is written as its
// length, then its values. A value is written as its lanes and bits, if it has them, then its words, with the length in
// front of each list of words. Numbers are little-endian words. The decoder can be given any bytes. The decoder checks
// every length against the remaining bytes before it allocates anything, and refuses bytes that are left over. Accepted
// material encodes to the same bytes. The decoder does not know the program's requests, so RecordedSide compares sizes.

[[nodiscard]] std::vector<std::byte> encode(const RecordedMaterial& material);
// Returns nothing if the bytes are not material as encode() writes it.
[[nodiscard]] std::optional<RecordedMaterial> decode_material(std::span<const std::byte> bytes);

}  // namespace sotto::protocols
