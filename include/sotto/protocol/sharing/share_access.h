// The only way to the raw words of a share, a mask or an opened value: a search for ShareAccess finds every place where
// a secret could leave its type.
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
  // A share of the mask at a compute party, the mask in clear at the dealer.
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
