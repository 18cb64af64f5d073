// Errors of sotto as those of Python: what a caller gave wrong is a ValueError, everything else a class of
// sotto/_errors.py, named as here. The message is the same line, with flags of the command named as arguments of Python.
#include <algorithm>
#include <exception>
#include <string>

#include "sotto/apps/python/binding/module.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/control.h"

namespace sotto::python {
namespace {

bool is_flag_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// "--max-norm" as "max_norm", but for flags of a command to type, such as `sotto keys new --out key.pem`.
std::string in_python(const std::string& message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    if (message.compare(at, 7, "`sotto ") == 0) {
      const std::size_t end = std::min(message.find('`', at + 1), message.size());
      text += message.substr(at, end - at);
      at = end;
      continue;
    }
    const bool starts =
        message.compare(at, 2, "--") == 0 && at + 2 < message.size() && is_flag_character(message[at + 2]);
    if (!starts) {
      text += message[at++];
      continue;
    }
    for (at += 2; at < message.size(); ++at) {
      const bool joins = message[at] == '-' && at + 1 < message.size() && is_flag_character(message[at + 1]);
      if (!joins && !is_flag_character(message[at])) break;
      text += joins ? '_' : message[at];
    }
  }
  return text;
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
