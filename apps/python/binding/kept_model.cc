#include "apps/bandit/run/local/in_process/kept_model.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/python/binding/module.h"
#include "apps/python/binding/timed_model.h"

namespace sotto::python {

namespace {

namespace py = pybind11;
namespace run = apps::bandit::run;

void keep(const std::filesystem::path& folder, const run::BanditSettings& settings, const TimedModel& model,
          const std::vector<std::vector<std::string>>& columns) {
  const std::vector<run::EarlierModel> models = model.model.as_earlier();
  const py::gil_scoped_release unlocked;
  run::keep_model(folder, settings, models, columns);
}

std::unique_ptr<TimedModel> model_of(const run::FoundModel& found, const run::BanditSettings& settings,
                                     std::uint64_t decided, std::uint64_t greedy) {
  std::vector<std::size_t> columns;
  for (const auto& names : found.columns) columns.push_back(names.size());
  const py::gil_scoped_release unlocked;
  return with_max_rows([&] {
    return std::unique_ptr<TimedModel>(
        new TimedModel{run::SharedModel(settings, columns, found.models, decided, greedy)});
  });
}

}  // namespace

void add_kept_models(py::module_& module) {
  py::class_<run::FoundModel>(module, "FoundModel")
      .def_readonly("settings", &run::FoundModel::settings)
      .def_readonly("columns", &run::FoundModel::columns)
      .def_property_readonly("learned", [](const run::FoundModel& of) { return of.models.front().name.events; })
      .def_property_readonly("reward_scale",
                             [](const run::FoundModel& of) { return of.models.front().name.reward_scale; })
      .def("model", &model_of, py::arg("settings"), py::arg("decided"), py::arg("greedy"));
  module.def("keep_model", &keep, py::arg("folder"), py::arg("settings"), py::arg("model"), py::arg("columns"));
  module.def(
      "find_model",
      [](const std::vector<std::filesystem::path>& configs) {
        const py::gil_scoped_release unlocked;
        return std::make_unique<run::FoundModel>(run::find_model(configs));
      },
      py::arg("configs"));
}

}  // namespace sotto::python
