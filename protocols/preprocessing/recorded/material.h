// Material: the values that a program requests from preprocessing (tape.h), and a stock of material that was made
// before the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/party/preprocessing.h"

namespace sotto::protocols {

// A range of lanes in a group of truncation masks.
struct TruncationPart {
  std::size_t group, first, lanes;
};

// The values by kind of request, in the order of the requests.
struct RecordedMaterial {
  PoolVector<WordPieces> masks;
  PoolVector<InputPieces> inputs;
  PoolVector<WordPieces> bits;  // pieces whose XOR is the bits
  PoolVector<TruncationMasks> truncation_groups;
  PoolVector<TruncationPart> truncations;
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
  PoolVector<Additive> numbers;
  PoolVector<Additive> indices;
  PoolVector<TableShares> tables;
  PoolVector<Additive> places;

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

// Material of the program's first stretches, the same stretches at all roles.
class MaterialStock {
 public:
  virtual ~MaterialStock() = default;

  [[nodiscard]] virtual std::uint64_t stretches() const = 0;
  [[nodiscard]] virtual bool is_whole() const = 0;
  // take() also removes stretch `number` for good. Even after a crash, no call returns the stretch again.
  [[nodiscard]] virtual RecordedMaterial read(std::uint64_t number) = 0;
  [[nodiscard]] virtual RecordedMaterial take(std::uint64_t number) = 0;
  // `last` is true if the program has no more stretches.
  virtual void put(const RecordedMaterial& material, bool last) = 0;
};

// Material of a stretch as bytes, in little-endian words.
//
// The lists are written in the order of RecordedMaterial::describe(): the length, then the values. A value is written
// as its numbers of lanes and bits, if it has these members, and then its lists of words, each after its length. The
// decoder accepts any bytes: it checks every length before it allocates anything, and refuses bytes that are left over.
// The decoder does not know the program's requests, so RecordedSide compares sizes.

[[nodiscard]] std::vector<std::byte> encode(const RecordedMaterial& material);
// Returns nothing for bytes that encode() would not write.
[[nodiscard]] std::optional<RecordedMaterial> decode_material(std::span<const std::byte> bytes);

}  // namespace sotto::protocols
