// The one way to the raw words of a share, a mask or an opened value. Only primitives and the runners of programs use
// it, so that every place where a secret could leave its type is found by searching for ShareAccess.
#pragma once

namespace sotto {

struct ShareAccess {
  template <class Value>
  [[nodiscard]] static const auto& words(const Value& value) {
    return value.words_;
  }
  template <class Value>
  [[nodiscard]] static auto& words(Value& value) {
    return value.words_;
  }
  // Of Masked and MaskedIndex: the mask, as a share (compute party) or in clear (dealer).
  template <class Value>
  [[nodiscard]] static const auto& mask(const Value& value) {
    return value.mask_;
  }
  template <class Value>
  [[nodiscard]] static auto& mask(Value& value) {
    return value.mask_;
  }
};

}  // namespace sotto
