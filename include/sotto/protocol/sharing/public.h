// Public: opened values. Every compute party has the same words; other roles have only the shape.
//
// The control flow of a program may not depend on an opened value, since not every role has it, so a Public has no
// conversion that an `if` accepts.
#pragma once

#include <stdexcept>
#include <utility>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

struct ShareAccess;

class Public {
 public:
  Public() = default;
  Public(Shape shape, unsigned scale, Words words, unsigned bits = 64)
      : shape_(shape), scale_(scale), bits_(bits), words_(std::move(words)) {
    if (!words_.empty() && words_.size() != shape.lanes()) {
      throw std::invalid_argument("the number of words differs from the number of lanes");
    }
  }

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }

  // Calls visit(const Words&) if this role has the words.
  template <class Visit>
  void if_known(Visit&& visit) const {
    if (!words_.empty()) visit(words_);
  }

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned scale_ = 0;
  unsigned bits_ = 64;
  Words words_;
};

}  // namespace sotto
