// Base of preprocessing without a dealer: refuses what none of its sides serves, tournaments of more than 64 arms.
#pragma once

#include <stdexcept>

#include "sotto/core/party/preprocessing.h"

namespace sotto::protocols {

class RecordedBase : public Preprocessing {
 public:
  [[nodiscard]] Mask ranked_mask(const Mask&, const Samples&, RankedWidths, const ValueGroups&) final {
    throw std::invalid_argument("an argmax of more than 64 arms needs a dealer");
  }
};

}  // namespace sotto::protocols
