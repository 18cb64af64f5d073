// The parts of the module _core, which is the C++ part of the Python package.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

namespace sotto::python {

void add_errors(pybind11::module_& module);
void add_bandit(pybind11::module_& module);
void add_evaluation(pybind11::module_& module);
void add_kept_models(pybind11::module_& module);
void add_datasets(pybind11::module_& module);
void add_recipes(pybind11::module_& module);
void add_programs(pybind11::module_& module);
void add_network(pybind11::module_& module);

// Handles Ctrl-C in a thread that does not hold Python's interpreter lock. The thread must call this object often.
// About 20 times a second, a call lets Python handle signals.
class Interruptible {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    const pybind11::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    next_ = now + std::chrono::milliseconds(50);
  }

 private:
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace sotto::python
