#include "sotto/protocol/compare/argmax.h"

#include <stdexcept>
#include <utility>

namespace sotto::protocols {

Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options) {
  const Shape shape = scores.shape();
  if (!scores.plain() || shape.lanes() == 0 || (shape.rows != 1 && shape.columns != 1)) {
    throw std::invalid_argument("argmax takes one row or column of scores with plain masks");
  }
  Masked row = scores.reshaped(Shape{1, shape.lanes()});
  Samples samples = draw_samples(party, 1, shape.lanes(), options.exploration);
  const Arith one_hot = co_await winners(party, std::move(row), {}, std::move(samples), options.widths(), 64);
  co_return one_hot.reshaped(shape);
}

}  // namespace sotto::protocols
