#include "apps/python/binding/arrays.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/data/reduction.h"
#include "apps/python/binding/module.h"
#include "sotto/protocol/error/errors.h"

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

namespace {

std::pair<std::vector<double>, std::vector<std::int64_t>> reduced(const std::string& file, std::size_t components) {
  const py::gil_scoped_release unlocked;
  const apps::prepare::RawData data = apps::prepare::read_raw_csv(file, "label");
  if (components < 1 || components > data.features.columns) {
    throw InputError("--components", "expected 1 to " + std::to_string(data.features.columns));
  }
  std::vector<double> values = apps::prepare::project(apps::prepare::fit_pca(data.features, components), data.features);
  apps::prepare::unit_norm(values, components);
  return {std::move(values), std::vector<std::int64_t>(data.labels.begin(), data.labels.end())};
}

}  // namespace

void add_datasets(py::module_& module) {
  module.def(
      "reduced",
      [](const std::string& file, std::size_t components) {
        auto [values, labels] = reduced(file, components);
        return py::make_tuple(array_of(std::move(values)), array_of(std::move(labels)));
      },
      py::arg("file"), py::arg("components"));
}

}  // namespace sotto::python
