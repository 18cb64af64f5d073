// The module _core: what the Python package does in C++. Each function adds its part to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace sotto::python {

void add_errors(pybind11::module_& module);
void add_bandit(pybind11::module_& module);
void add_datasets(pybind11::module_& module);
void add_programs(pybind11::module_& module);
void add_network(pybind11::module_& module);

}  // namespace sotto::python
