// Arrays of numpy without copies.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <vector>

#include "apps/bandit/run/local/in_process/simulated_run.h"

namespace sotto::python {

// Throws TypeError unless the array has numbers of float64. The array must outlive the view.
[[nodiscard]] apps::bandit::run::RowsView view_of(const pybind11::array& matrix);
[[nodiscard]] std::vector<apps::bandit::run::RowsView> views_of(const std::vector<pybind11::array>& matrices);

template <class T>
[[nodiscard]] pybind11::array_t<T> array_of(std::vector<T> values) {
  auto* const held = new std::vector<T>(std::move(values));  // owned by the capsule
  const pybind11::capsule owner(held, [](void* gone) { delete static_cast<std::vector<T>*>(gone); });
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(held->size()), held->data(), owner);
}

// `values` must stay valid as long as `owner` lives.
template <class T>
[[nodiscard]] pybind11::array_t<T> view_in(const pybind11::object& owner, const std::vector<T>& values) {
  pybind11::array_t<T> array(static_cast<pybind11::ssize_t>(values.size()), values.data(), owner);
  array.attr("setflags")(pybind11::arg("write") = false);
  return array;
}

}  // namespace sotto::python
