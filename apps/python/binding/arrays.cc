#include "apps/python/binding/arrays.h"

namespace sotto::python {

namespace py = pybind11;

apps::bandit::run::RowsView view_of(const py::array& matrix) {
  if (!py::isinstance<py::array_t<double>>(matrix) || matrix.ndim() != 2) {
    throw py::type_error("expected a matrix of float64");
  }
  return apps::bandit::run::RowsView{static_cast<const std::byte*>(matrix.data()),
                                     static_cast<std::size_t>(matrix.shape(0)),
                                     static_cast<std::size_t>(matrix.shape(1)), matrix.strides(0), matrix.strides(1)};
}

std::vector<apps::bandit::run::RowsView> views_of(const std::vector<py::array>& matrices) {
  std::vector<apps::bandit::run::RowsView> views;
  views.reserve(matrices.size());
  for (const py::array& matrix : matrices) views.push_back(view_of(matrix));
  return views;
}

}  // namespace sotto::python
