// Base of preprocessing without a dealer: refuses what none of its sides serves, tournaments of more than 64 arms.
// Where a party has one piece of a value, products by bits are the cheaper ones: products of words take messages.
#pragma once

#include <stdexcept>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/party/preprocessing.h"

namespace sotto::protocols {

class RecordedBase : public Preprocessing {
 public:
  [[nodiscard]] bool selects_by_bits() const final { return one_piece_; }
  [[nodiscard]] Mask ranked_mask(const Mask&, const Samples&, RankedWidths, const ValueGroups&) final {
    throw std::invalid_argument("an argmax of more than 64 arms needs a dealer");
  }

 protected:
  explicit RecordedBase(const PieceProtocols& pieces) : one_piece_(pieces.pieces() == 1) {}

 private:
  bool one_piece_;
};

}  // namespace sotto::protocols
