#include "apps/python/binding/module.h"

#include <algorithm>
#include <exception>
#include <string>

#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/control.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ part of the package sotto; use the package.";
  module.attr("__version__") = sotto::apps::version();
  sotto::python::add_errors(module);
  sotto::python::add_bandit(module);
  sotto::python::add_evaluation(module);
  sotto::python::add_kept_models(module);
  sotto::python::add_datasets(module);
  sotto::python::add_recipes(module);
  sotto::python::add_programs(module);
  sotto::python::add_network(module);
}

namespace sotto::python {

// A wrong argument of the caller becomes a ValueError. Any other error becomes the class of the same name in
// sotto/_errors.py.

namespace {

// Some flags have other names in Python.
std::string in_python(const std::string& message) {
  return apps::respell_flags(message, [](const std::string& flag) {
    if (flag == "--arms") return std::string("n_arms");
    if (flag == "--party") return std::string("X");
    std::string name = flag.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  });
}

const char* class_of(const Error& error) {
  if (dynamic_cast<const NetworkError*>(&error) != nullptr) return "NetworkError";
  if (dynamic_cast<const TrustError*>(&error) != nullptr) return "TrustError";
  if (dynamic_cast<const DisagreementError*>(&error) != nullptr) return "DisagreementError";
  if (dynamic_cast<const ProtocolError*>(&error) != nullptr) return "ProtocolError";
  if (dynamic_cast<const ResourceError*>(&error) != nullptr) return "ResourceError";
  if (dynamic_cast<const net::RemoteFailure*>(&error) != nullptr) return "RemoteFailure";
  return "Error";
}

void raise(const Error& error) {
  const pybind11::object type = pybind11::module_::import("sotto._errors").attr(class_of(error));
  PyErr_SetObject(type.ptr(), type(in_python(error.what()), static_cast<int>(error.exit_code())).ptr());
}

}  // namespace

void add_errors(pybind11::module_&) {
  pybind11::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const InputError& wrong) {
      PyErr_SetString(PyExc_ValueError, in_python(wrong.what()).c_str());
    } catch (const Error& failed) {
      raise(failed);
    }
  });
}

}  // namespace sotto::python
