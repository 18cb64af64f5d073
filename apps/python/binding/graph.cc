#include "apps/python/binding/graph.h"

#include <coroutine>
#include <stdexcept>
#include <utility>

#include "apps/python/binding/operations.h"
#include "sotto/protocol/async/when_all.h"

namespace sotto::python {

namespace {

// Several coroutines of one role may wait for the gate.
class Gate {
 public:
  explicit Gate(Executor& executor) : executor_(&executor) {}

  void open() {
    open_ = true;
    // The executor's queue is a stack. The coroutine that waited first must continue first.
    for (auto waiting = waiting_.rbegin(); waiting != waiting_.rend(); ++waiting) executor_->make_ready(*waiting);
    waiting_.clear();
  }

  // g++ 12 copies an awaiter that it receives by reference, so a coroutine would wait at a copy of the gate.
  struct Awaiter {
    Gate* gate;
    [[nodiscard]] bool await_ready() const noexcept { return gate->open_; }
    void await_suspend(std::coroutine_handle<> waiting) const { gate->waiting_.push_back(waiting); }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] Awaiter operator co_await() noexcept { return Awaiter{this}; }

 private:
  Executor* executor_;
  bool open_ = false;
  std::vector<std::coroutine_handle<>> waiting_;
};

struct Run {
  Session& session;
  const Graph& graph;
  OwnInputs mine;
  Values values;
  std::vector<Gate> gates;       // one per node
  std::vector<Matrix> revealed;  // per node
};

Values inputs_of(const Run& run, const GraphNode& node) {
  Values inputs;
  inputs.reserve(node.inputs.size());
  for (const std::size_t input : node.inputs) inputs.push_back(run.values[input]);
  return inputs;
}

Task<Matrix> opened(Session& session, const GraphNode& node, const Value& value) {
  if (const auto* const product = std::get_if<Product>(&value)) {
    return node.node ? session.reveal_to(*node.node, *product, node.name) : session.reveal(*product, node.name);
  }
  return node.node ? session.reveal_to(*node.node, secret_of(value), node.name)
                   : session.reveal(secret_of(value), node.name);
}

// The error names the line of the Python program.
template <class Begin>
auto at_its_line(const GraphNode& node, Begin begin) {
  try {
    return begin();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(node.line.empty() ? error.what() : node.line + ": " + error.what());
  }
}

Task<void> play_node(Run& run, std::size_t number) {
  const GraphNode& node = run.graph[number];
  for (const std::size_t input : node.inputs) co_await run.gates[input];
  const Values inputs = inputs_of(run, node);
  if (node.op == "input") {
    auto task = at_its_line(
        node, [&] { return run.session.input(*node.node, node.shape, run.mine[number], node.numbers.at(0)); });
    run.values[number] = co_await std::move(task);
  } else if (node.op == "open") {
    auto task = at_its_line(node, [&] { return opened(run.session, node, inputs[0]); });
    run.revealed[number] = co_await std::move(task);
  } else if (const auto local = local_operations().find(node.op); local != local_operations().end()) {
    run.values[number] = at_its_line(node, [&] { return local->second.compute(run.session, node, inputs); });
  } else {
    auto task = at_its_line(node, [&] { return rounds_operations().at(node.op).begin(node, inputs); });
    run.values[number] = co_await std::move(task);
  }
  run.gates[number].open();
}

std::size_t inputs_wanted(const GraphNode& node) {
  if (node.op == "input") return 0;
  if (node.op == "open") return 1;
  if (const auto local = local_operations().find(node.op); local != local_operations().end())
    return local->second.inputs;
  if (const auto found = rounds_operations().find(node.op); found != rounds_operations().end())
    return found->second.inputs;
  throw std::invalid_argument("there is no operation '" + node.op + "'");
}

}  // namespace

void check_graph(const Graph& graph) {
  for (std::size_t number = 0; number < graph.size(); ++number) {
    const GraphNode& node = graph[number];
    const std::size_t wanted = inputs_wanted(node);
    const bool fits = wanted == any_number ? !node.inputs.empty() : node.inputs.size() == wanted;
    if (!fits) throw std::invalid_argument("'" + node.op + "' has other inputs than it takes");
    for (const std::size_t input : node.inputs) {
      if (input >= number || graph[input].op == "open") throw std::invalid_argument("an input that is not there");
    }
    if (node.op == "input" && (!node.node || node.numbers.empty()))
      throw std::invalid_argument("an input without owner");
  }
}

Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine) {
  Run run{session, graph, std::move(mine), Values(graph.size()), {}, std::vector<Matrix>(graph.size())};
  run.mine.resize(graph.size());
  run.gates.assign(graph.size(), Gate(session.party().rounds()));
  std::vector<Task<void>> nodes;
  nodes.reserve(graph.size());
  for (std::size_t number = 0; number < graph.size(); ++number) nodes.push_back(play_node(run, number));
  co_await when_all(std::move(nodes));
  std::vector<Matrix> results;
  for (std::size_t number = 0; number < graph.size(); ++number) {
    if (graph[number].op == "open") results.push_back(std::move(run.revealed[number]));
  }
  co_return results;
}

}  // namespace sotto::python
