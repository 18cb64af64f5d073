#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/run/command/commands.h"
#include "apps/bandit/run/local/in_process/evaluated_log.h"
#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/report/described.h"
#include "apps/kit/settings/config_options.h"
#include "apps/python/binding/arrays.h"
#include "apps/python/binding/module.h"
#include "apps/python/binding/pages.h"
#include "apps/python/binding/timed_model.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::python {

namespace {

namespace py = pybind11;
namespace run = apps::bandit::run;

using Flags = std::map<std::string, std::vector<std::string>>;  // flag -> its arguments; a flag without any has none

// The rules of all accounts, which `sotto evaluate` does not have and roles on several machines have.
constexpr const char* account_rules[] = {"account.budget", "account.forget_after", "account.uncovered_learning"};

// Gives each flag its arguments, as the command line would. Wrong arguments are InputError.
void give(apps::Command& command, const Flags& flags) {
  try {
    for (const auto& [flag, arguments] : flags) command.option(flag)->give(arguments);
  } catch (const apps::UsageError& error) {
    throw InputError(error.what());
  }
}

std::unique_ptr<run::EvaluatedHere> evaluate(const Flags& flags, std::vector<run::PartyFiles> files,
                                             const TimedModel* model, const std::string& text) {
  run::EvaluationHere given;
  apps::Command command("evaluate", "");
  run::add_evaluation_options(command, given.options);
  for (const char* rule : account_rules) apps::add_setting_option(command, given.options.run, rule);
  give(command, flags);
  given.files = std::move(files);
  given.tick = Interruptible();
  if (model != nullptr) {
    given.models = model->model.as_earlier();
    given.real_rewards = !model->model.plan().parameters.binary_rewards;
  }
  const std::string started = apps::utc_now();
  const py::gil_scoped_release unlocked;
  auto evaluated = std::make_unique<run::EvaluatedHere>(run::evaluate_here(given));
  evaluated->result.stamp(started);
  evaluated->result.command = text;
  return evaluated;
}

// For each party the JSON of its charge, or None.
py::list charges_of(const run::EvaluatedHere& evaluated) {
  py::list charges;
  for (const auto& charge : evaluated.charges) {
    if (charge) {
      charges.append(apps::json_text(apps::json_of<nlohmann::json>(*charge)));
    } else {
      charges.append(py::none());
    }
  }
  return charges;
}

}  // namespace

void add_evaluation(py::module_& module) {
  py::class_<run::PartyFiles>(module, "PartyFiles")
      .def(py::init([](std::filesystem::path account, std::filesystem::path subjects) {
             return run::PartyFiles{std::move(account), std::move(subjects)};
           }),
           py::arg("account"), py::arg("subjects"));
  py::class_<run::EvaluatedHere>(module, "Evaluated")
      .def_property_readonly("charges", &charges_of)
      .def_property_readonly("rows",
                             [](const run::EvaluatedHere& of) {
                               return array_of(std::vector<std::int64_t>(of.rows.begin(), of.rows.end()));
                             })
      .def_property_readonly("weights", [](const run::EvaluatedHere& of) { return array_of(of.weights); })
      .def_readonly("warnings", &run::EvaluatedHere::warnings)
      .def("json", [](const run::EvaluatedHere& of) { return apps::json_text(run::to_json(of.result), 2); })
      .def("verdict", [](const run::EvaluatedHere& of) { return run::log_verdict(of.result); })
      .def(
          "report",
          [](const run::EvaluatedHere& of, const std::string& page, const std::string& figures) {
            write_report(of.result, page, figures);
          },
          py::arg("page"), py::arg("figures"));
  module.def("evaluate", &evaluate, py::arg("flags"), py::arg("files"), py::arg("model"), py::arg("command"));
}

}  // namespace sotto::python
