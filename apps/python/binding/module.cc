#include "apps/python/binding/module.h"

#include "apps/kit/program/about.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package sotto does in C++; use the package.";
  module.attr("__version__") = sotto::apps::version();
  sotto::python::add_errors(module);
  sotto::python::add_bandit(module);
  sotto::python::add_datasets(module);
  sotto::python::add_programs(module);
  sotto::python::add_network(module);
}
