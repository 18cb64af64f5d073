// One role of a program of Python over the network, as its config says.
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/python/binding/graph.h"
#include "apps/python/binding/module.h"
#include "apps/python/binding/played.h"
#include "sotto/run.h"

namespace sotto::python {

namespace {

namespace py = pybind11;

using GraphRun = NetworkRun<std::vector<Matrix>>;

// Lines of the run's thread, until the caller's fetches them.
class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard guard(mutex_);
    lines_.push_back(line);
  }
  [[nodiscard]] std::vector<std::string> taken() {
    const std::lock_guard guard(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

bool ends_within(const std::future<GraphRun>& run, std::chrono::milliseconds time) {
  const py::gil_scoped_release unlocked;
  return run.wait_for(time) == std::future_status::ready;
}

// The run has a thread of its own, so that this one can hear Ctrl-C, whatever the run waits for. An exception of
// Python, of Ctrl-C or of `tell`, ends the run at all roles and comes out.
GraphRun followed(std::future<GraphRun> run, Lines& lines, const py::function& tell, std::atomic<bool>& interrupted) {
  try {
    for (bool ended = false; !ended;) {
      ended = ends_within(run, std::chrono::milliseconds(50));
      for (const std::string& line : lines.taken()) tell(line);
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  } catch (...) {
    interrupted = true;
    const py::gil_scoped_release unlocked;
    run.wait();
    throw;
  }
  return run.get();
}

// What this role does not learn is None: all of it at a dealer or a helper.
py::list learned(const Graph& graph, const Config& config, const std::optional<std::vector<Matrix>>& results) {
  py::list opened;
  std::size_t place = 0;
  for (const GraphNode& node : graph) {
    if (node.op != "open") continue;
    const bool learns = results && config.party() && (!node.node || node.node == config.party());
    opened.append(learns ? py::object(numpy_of(results->at(place))) : py::none());
    ++place;
  }
  return opened;
}

py::dict run_graph(const HeldGraph& held, const Config& config, const GivenInputs& inputs, const py::function& tell) {
  const Graph& graph = held.nodes;
  check_graph(graph);
  std::atomic<bool> interrupted{false};
  Lines lines;
  RunOptions options;
  options.interrupted = &interrupted;
  options.tell = [&lines](const std::string& line) { lines.add(line); };
  const GraphRun run = followed(std::async(std::launch::async,
                                           [&, mine = own_inputs(graph, inputs)] {
                                             return sotto::run(config, PlayGraph{&graph}, mine, options);
                                           }),
                                lines, tell, interrupted);
  py::dict dict = dict_of(graph, run);
  dict["opened"] = learned(graph, config, run.result);
  return dict;
}

Config config_of(const std::vector<std::string>& arguments) {
  std::vector<const char*> texts{"python"};
  for (const std::string& argument : arguments) texts.push_back(argument.c_str());
  return Config::from_arguments(static_cast<int>(texts.size()), texts.data());
}

}  // namespace

void add_network(py::module_& module) {
  py::class_<Config>(module, "Config")
      .def(py::init(&config_of), py::arg("arguments"))
      .def_property_readonly("parties", &Config::parties)
      .def_property_readonly("party", &Config::party)
      .def_property_readonly("role", &Config::role)
      .def_property_readonly("data", [](const Config& config) { return config.data().string(); })
      .def_property_readonly("preprocessing",
                             [](const Config& config) { return name_of(config.session().preprocessing); })
      .def_property_readonly("bits", [](const Config& config) { return config.session().bits; })
      .def_property_readonly("receiver", [](const Config& config) { return config.session().has_receiver; });
  module.def("run_graph", &run_graph, py::arg("graph"), py::arg("config"), py::arg("inputs"), py::arg("tell"));
}

}  // namespace sotto::python
