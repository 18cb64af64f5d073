#include "protocols/preprocessing/recorded/holder_side.h"

#include <utility>

#include "protocols/preprocessing/recorded/material_sides.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {
namespace {

constexpr NodeId parties_of_one_piece = 2;

void add_holder(Holders& to, const Words& words, NodeId party) {
  to.resize(words.size(), 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != 0) to[i] = static_cast<std::uint8_t>(to[i] | 1u << party);
  }
}

}  // namespace

HolderSide::HolderSide(NodeId party, PieceProtocols& pieces, PoolVector<OperandHolders>& of_party_0)
    : PlayedSide(pieces),
      party_(party),
      pieces_(pieces),
      of_party_0_(of_party_0),
      words_(Seed::insecure_from_number(party)) {}

Words HolderSide::held(std::size_t lanes) {
  Words words(lanes);
  words_.fill(words, 64);
  for (std::uint64_t& word : words) word |= 1;
  return words;
}

std::optional<OperandHolders> HolderSide::of_both(const Words& left, const Words& right) {
  if (stretch_ == StretchState::made) return std::nullopt;
  OperandHolders holders;
  if (party_ != 0) holders = std::move(recorded(of_party_0_, at_));
  add_holder(holders.left, left, party_);
  add_holder(holders.right, right, party_);
  if (party_ != 0) return holders;
  of_party_0_.push_back(std::move(holders));
  return std::nullopt;
}

InputMask HolderSide::input_mask(NodeId owner, std::size_t lanes) {
  const bool of_the_other = owner < parties_of_one_piece && owner != party_;
  return InputMask{{}, Mask{of_the_other ? Words(lanes, 0) : held(lanes)}};
}

void HolderSide::product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words&) {
  if (const auto holders = of_both(x.words, y.words)) pieces_.note_product(map, bits, holders->left, holders->right);
}

Additive HolderSide::cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask&, const Mask& other) {
  if (const auto holders = of_both(other.words, {})) pieces_.note_cut(map, side, shift, holders->left);
  return {};
}

Additive HolderSide::bit_product(const BilinearMap& map, const BitMask&, const Mask& y) {
  return cut(map, Operand::left, 64, {}, y);
}

TruncationPair HolderSide::truncation(Words&, std::size_t lanes, unsigned) {
  TruncationPair pair;
  pair.mu.words = held(lanes);
  pair.g.words = held(lanes);
  return pair;
}

}  // namespace sotto::protocols
