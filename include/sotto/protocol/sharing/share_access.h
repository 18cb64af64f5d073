// The only way to the raw words of a share, a mask or an opened value. Only primitives and the runners of programs use
// ShareAccess. So a search for ShareAccess finds every place where a secret could leave its type.
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
  // The mask of a Masked or MaskedIndex, as a share (compute party) or in clear (dealer).
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
