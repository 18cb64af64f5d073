#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/run/local/in_process/simulated_run.h"
#include "apps/python/binding/arrays.h"
#include "apps/python/binding/graph.h"
#include "apps/python/binding/module.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/run.h"
#include "sotto/simulate.h"

namespace sotto::python {

namespace py = pybind11;

Matrix matrix_of(const py::array& array) {
  const apps::bandit::run::RowsView view = view_of(array);
  Matrix matrix(view.rows, view.columns);
  for (std::size_t row = 0; row < view.rows; ++row) {
    for (std::size_t column = 0; column < view.columns; ++column) {
      matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = view.at(row, column);
    }
  }
  return matrix;
}

py::array_t<double> numpy_of(const Matrix& matrix) {
  py::array_t<double> array({matrix.rows(), matrix.cols()});
  std::copy(matrix.data(), matrix.data() + matrix.size(), array.mutable_data());
  return array;
}

py::dict dict_of(const Graph& graph, const RunCost& cost) {
  py::dict dict;
  dict["rounds"] = cost.rounds;
  dict["bytes"] = cost.bytes;
  dict["dealt"] = cost.dealt;
  dict["preprocessing_rounds"] = cost.preprocessing_rounds;
  dict["preprocessing_bytes"] = cost.preprocessing_bytes;
  // The entries of cost.opened may be in any order.
  std::map<std::string, unsigned> bits;
  for (const Opened& opened : cost.opened) bits[opened.name] = opened.bits;
  py::list in_order;
  for (const GraphNode& node : graph) {
    if (node.op == "open") in_order.append(bits.at(node.name));
  }
  dict["bits"] = in_order;
  return dict;
}

OwnInputs own_inputs(const Graph& graph, const GivenInputs& given) {
  require_argument(given.size() == graph.size(), "an array a node, or nothing");
  OwnInputs mine(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (given[node]) mine[node] = matrix_of(*given[node]);
  }
  return mine;
}

namespace {

void add_node(HeldGraph& graph, std::string op, std::vector<std::size_t> inputs,
              std::pair<std::size_t, std::size_t> shape, std::vector<double> numbers,
              const std::optional<py::array>& constant, std::string name, long node, std::string line) {
  GraphNode added;
  added.op = std::move(op);
  added.inputs = std::move(inputs);
  added.shape = Shape{shape.first, shape.second};
  added.numbers = std::move(numbers);
  if (constant) added.constant = matrix_of(*constant);
  added.name = std::move(name);
  if (node >= 0) added.node = static_cast<std::size_t>(node);
  added.line = std::move(line);
  graph.nodes.push_back(std::move(added));
}

SessionOptions options_of(unsigned bits, const std::string& preprocessing) {
  SessionOptions options;
  options.bits = bits;
  for (const auto& [by, name] : names_of(RandomnessBy{})) {
    if (name == preprocessing) options.preprocessing = by;
  }
  require_argument(name_of(options.preprocessing) == preprocessing, "preprocessing: none of these names");
  return options;
}

// `inputs` has one entry per party.
py::dict simulate_graph(const HeldGraph& held, std::size_t parties, unsigned bits, const std::string& preprocessing,
                        const std::vector<GivenInputs>& inputs) {
  const Graph& graph = held.nodes;
  std::vector<OwnInputs> mine;
  for (std::size_t party = 0; party < parties; ++party) mine.push_back(own_inputs(graph, inputs.at(party)));
  std::optional<SimulatedRun<std::vector<Matrix>>> run;
  {
    const py::gil_scoped_release unlocked;
    check_graph(graph);
    protocols::SimulationOptions simulation;
    Interruptible tick;
    simulation.watch = [&tick](std::optional<NodeId>, std::uint64_t, bool begins) {
      if (begins) tick();
    };
    run = simulate(mine, PlayGraph{&graph}, options_of(bits, preprocessing), std::move(simulation));
  }
  py::dict dict = dict_of(graph, *run);
  py::list opened;
  std::size_t place = 0;
  for (const GraphNode& node : graph) {
    if (node.op != "open") continue;
    opened.append(numpy_of(run->result(node.node.value_or(0)).at(place++)));
  }
  dict["opened"] = opened;
  return dict;
}

py::dict plan_graph(const HeldGraph& held, std::size_t parties, unsigned bits, const std::string& preprocessing,
                    const std::string& link) {
  const Graph& graph = held.nodes;
  std::optional<RunCost> cost;
  std::optional<double> seconds;
  {
    const py::gil_scoped_release unlocked;
    check_graph(graph);
    cost = plan<OwnInputs>(parties, PlayGraph{&graph}, options_of(bits, preprocessing));
    if (!link.empty()) {
      const net::LinkConditions conditions = apps::bandit::run::parse_link(link);
      // Without a rate, sending bytes takes no time.
      const auto rate = conditions.bits_per_second > 0 ? static_cast<double>(conditions.bits_per_second) : 1e30;
      seconds = cost->seconds(conditions.delay + conditions.jitter / 2, rate);
    }
  }
  py::dict dict = dict_of(graph, *cost);
  dict["seconds"] = seconds;
  return dict;
}

}  // namespace

// Returns pairs (name, number of parties or None).
py::list modes() {
  py::list all;
  for (const Cast& cast : casts) {
    const py::object parties = cast.parties > 0 ? py::object(py::int_(cast.parties)) : py::none();
    all.append(py::make_tuple(cast.name, parties));
  }
  return all;
}

void add_programs(py::module_& module) {
  module.def("modes", &modes);
  py::class_<HeldGraph>(module, "Graph")
      .def(py::init<>())
      .def("add", &add_node, py::arg("op"), py::arg("inputs"), py::arg("shape"), py::arg("numbers"),
           py::arg("constant"), py::arg("name"), py::arg("node"), py::arg("line"));
  module.def("simulate_graph", &simulate_graph, py::arg("graph"), py::arg("parties"), py::arg("bits"),
             py::arg("preprocessing"), py::arg("inputs"));
  module.def("plan_graph", &plan_graph, py::arg("graph"), py::arg("parties"), py::arg("bits"), py::arg("preprocessing"),
             py::arg("link"));
}

namespace {

using GraphRun = NetworkRun<std::vector<Matrix>>;

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

// This thread handles Ctrl-C while the run has a thread of its own. A Python exception, from Ctrl-C or from `report`,
// ends the run at all roles.
GraphRun followed(std::future<GraphRun> run, Lines& lines, const py::function& report, std::atomic<bool>& interrupted) {
  try {
    for (bool ended = false; !ended;) {
      ended = ends_within(run, std::chrono::milliseconds(50));
      for (const std::string& line : lines.taken()) report(line);
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

// A value that this role does not learn is None.
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

py::dict run_graph(const HeldGraph& held, const Config& config, const GivenInputs& inputs, const py::function& report) {
  const Graph& graph = held.nodes;
  check_graph(graph);
  std::atomic<bool> interrupted{false};
  Lines lines;
  RunOptions options;
  options.interrupted = &interrupted;
  options.report = [&lines](const std::string& line) { lines.add(line); };
  const GraphRun run = followed(std::async(std::launch::async,
                                           [&, mine = own_inputs(graph, inputs)] {
                                             return sotto::run(config, PlayGraph{&graph}, mine, options);
                                           }),
                                lines, report, interrupted);
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
  module.def("run_graph", &run_graph, py::arg("graph"), py::arg("config"), py::arg("inputs"), py::arg("report"));
}

}  // namespace sotto::python
