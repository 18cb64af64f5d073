#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/privacy.h"
#include "apps/bandit/run/local/in_process/shared_model.h"
#include "apps/bandit/run/local/in_process/simulated_run.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "apps/python/binding/arrays.h"
#include "apps/python/binding/module.h"
#include "apps/python/binding/pages.h"
#include "apps/python/binding/timed_model.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::python {

namespace {

namespace py = pybind11;
using apps::bandit::run::BanditSettings;
using apps::bandit::run::SharedModel;
using apps::bandit::run::SimulatedBandit;

py::dict dict_of(const Cost& cost, const Topology& topology) {
  py::dict dict;
  dict["rounds"] = cost.rounds;
  dict["bytes"] = cost.sent_by_largest_party(topology);
  dict["dealt"] = cost.dealt;
  return dict;
}

py::dict plan(const BanditSettings& settings, const std::vector<std::size_t>& columns, const std::string& link) {
  std::optional<Ledger> ledger;
  std::optional<double> seconds;
  {
    const py::gil_scoped_release unlocked;
    const apps::bandit::BanditPlan planned = apps::bandit::run::plan_of(settings, columns);
    ledger = apps::bandit::plan_costs(planned);
    if (!link.empty()) {
      const apps::bandit::run::LinkModel model =
          apps::bandit::run::model_run(planned, apps::bandit::run::parse_link(link));
      seconds = model.total() * static_cast<double>(settings.steps);
    }
  }
  py::dict dict = dict_of(ledger->total(), ledger->topology());
  dict["seconds"] = seconds;
  py::dict phases;
  for (const Ledger::Phase& phase : ledger->phases()) {
    py::dict cost = dict_of(phase.total, ledger->topology());
    cost["passes"] = phase.passes;
    phases[py::str(phase.name)] = cost;
  }
  dict["phases"] = phases;
  return dict;
}

struct KnownRewards {
  apps::bandit::run::RowsView matrix;
  std::vector<std::int64_t> labels;

  [[nodiscard]] double operator()(std::uint64_t row, std::size_t arm) const {
    if (matrix.columns > 0) return matrix.at(row, arm);
    return labels[row] == static_cast<std::int64_t>(arm) ? 1 : 0;
  }
};

struct AskedRewards {
  const py::object& ask;

  [[nodiscard]] double operator()(std::uint64_t row, std::size_t arm) const {
    const py::gil_scoped_acquire lock;
    const py::object earned = ask(row, arm);
    const double number = PyFloat_AsDouble(earned.ptr());
    if (number != -1 || PyErr_Occurred() == nullptr) return number;
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw InputError("reward", fmt::format("expected a number in [-1, 1] of row {}, but the function returned {}", row,
                                           Py_TYPE(earned.ptr())->tp_name));
  }
};

// Calls a function of Python once per percent of the steps.
class Progress {
 public:
  Progress(const py::object& show, std::uint64_t steps) : show_(show), steps_(steps) {}

  void operator()(std::uint64_t rewarded, std::uint64_t read) {
    constexpr std::uint64_t parts = 100;
    const std::uint64_t done = parts * rewarded / steps_ + read / steps_;
    if (done == done_) return;
    done_ = done;
    const py::gil_scoped_acquire lock;
    show_(rewarded, read);
  }

 private:
  const py::object& show_;
  std::uint64_t steps_;
  std::uint64_t done_ = 0;
};

std::unique_ptr<SimulatedBandit> simulate(const BanditSettings& settings, const std::vector<py::array>& parts,
                                          const py::object& reward, bool twin, const std::string& command,
                                          const py::object& progress) {
  apps::bandit::run::SimulatedRun run;
  run.settings = settings;
  run.parts = views_of(parts);
  run.plays_twin = twin;
  run.tick = Interruptible();
  if (!progress.is_none()) run.progress = Progress(progress, settings.steps);
  const std::string started = apps::utc_now();
  if (py::isinstance<py::array_t<std::int64_t>>(reward)) {
    run.reward = KnownRewards{{}, reward.cast<std::vector<std::int64_t>>()};
    run.knows_all_rewards = true;
  } else if (py::isinstance<py::array>(reward)) {
    run.reward = KnownRewards{view_of(reward.cast<py::array>()), {}};
    run.knows_all_rewards = true;
  } else {
    run.reward = AskedRewards{reward};
  }
  const py::gil_scoped_release unlocked;
  auto simulated = std::make_unique<SimulatedBandit>(apps::bandit::run::simulate_bandit(run));
  simulated->result.stamp(started);
  simulated->result.command = command;
  return simulated;
}

py::tuple arrays_of(const apps::Curve& curve) {
  std::vector<std::int64_t> steps;
  std::vector<double> averages;
  steps.reserve(curve.size());
  averages.reserve(curve.size());
  for (const apps::CurvePoint& point : curve) {
    steps.push_back(static_cast<std::int64_t>(point.step));
    averages.push_back(point.average_reward);
  }
  return py::make_tuple(array_of(std::move(steps)), array_of(std::move(averages)));
}

// An eta is None if there is no bound.
py::tuple eta(std::size_t arms, double epsilon, std::uint64_t decided) {
  const double used = apps::bandit::used_epsilon(apps::bandit::exploration_of(epsilon));
  const apps::bandit::EtaComposed all = apps::bandit::eta_composed(arms, used, decided);
  return py::make_tuple(apps::bandit::eta_per_action(arms, used).exact, all.optimal, all.delta);
}

template <class E>
void add_words(py::class_<BanditSettings>& settings, const char* name, E apps::bandit::run::BanditRun::*member) {
  settings.def_property(
      name,
      [member](const BanditSettings& run) {
        for (const auto& [value, word] : names_of(E{})) {
          if (value == run.*member) return std::string(word);
        }
        return std::string();
      },
      [member, name = std::string(name)](BanditSettings& run, const std::string& said) {
        std::string known;
        for (const auto& [value, word] : names_of(E{})) {
          known += (known.empty() ? "" : ", ") + std::string(word);
          if (said == word) {
            run.*member = value;
            return;
          }
        }
        throw InputError(name, fmt::format("there is no '{}', but {}", said, known));
      });
}

void add_settings(py::module_& module) {
  py::class_<BanditSettings> settings(module, "Settings");
  add_words(settings, "preprocessing", &BanditSettings::preprocessing);
  add_words(settings, "update", &BanditSettings::update);
  settings.def(py::init<>())
      .def_readwrite("steps", &BanditSettings::steps)
      .def_readwrite("arms", &BanditSettings::arms)
      .def_readwrite("epsilon", &BanditSettings::epsilon)
      .def_readwrite("max_norm", &BanditSettings::max_norm)
      .def_readwrite("binary_rewards", &BanditSettings::binary_rewards)
      .def_readwrite("batch", &BanditSettings::batch)
      .def_readwrite("reward_lag", &BanditSettings::reward_lag)
      .def_readwrite("insecure_seed", &BanditSettings::insecure_seed);
}

void add_run(py::module_& module) {
  py::class_<SimulatedBandit>(module, "Run")
      .def_property_readonly("average_reward", [](const SimulatedBandit& run) { return run.result.average_reward; })
      .def_property_readonly("plaintext",
                             [](const SimulatedBandit& run) { return run.result.plaintext_average_reward; })
      .def_property_readonly("uniform", [](const SimulatedBandit& run) { return run.result.uniform_average_reward; })
      .def_property_readonly("best", [](const SimulatedBandit& run) { return run.result.best_average_reward; })
      .def_property_readonly("curve", [](const SimulatedBandit& run) { return arrays_of(run.result.reward_curve); })
      .def_property_readonly("plaintext_curve",
                             [](const SimulatedBandit& run) { return arrays_of(run.result.plaintext_curve); })
      .def_property_readonly(
          "arms", [](const py::object& self) { return view_in(self, self.cast<const SimulatedBandit&>().arms); })
      .def_property_readonly(
          "rewards", [](const py::object& self) { return view_in(self, self.cast<const SimulatedBandit&>().rewards); })
      .def_property_readonly("cost", [](const SimulatedBandit& run) { return dict_of(run.cost, run.topology); })
      .def_property_readonly("seconds",
                             [](const SimulatedBandit& run) {
                               return run.result.seconds_per_step.value_or(0) * static_cast<double>(run.result.steps);
                             })
      .def(
          "report",
          [](const SimulatedBandit& run, const std::string& page, const std::string& figures) {
            write_report(run.result, page, figures);
          },
          py::arg("page"), py::arg("figures"))
      .def("json",
           [](const SimulatedBandit& run) { return apps::json_text(apps::bandit::run::to_json(run.result), 2); })
      .def("summary", [](const SimulatedBandit& run) { return apps::bandit::run::summary_text(run.result); });
}

void learn(TimedModel& timed, const std::vector<py::array>& parts, const py::array_t<std::int64_t>& arms,
           const py::array_t<double>& rewards) {
  const auto views = views_of(parts);
  const std::span<const std::int64_t> chosen(arms.data(), static_cast<std::size_t>(arms.size()));
  const std::span<const double> earned(rewards.data(), static_cast<std::size_t>(rewards.size()));
  const py::gil_scoped_release unlocked;
  const auto begin = std::chrono::steady_clock::now();
  timed.model.learn(views, chosen, earned, Interruptible());
  timed.seconds = apps::seconds_since(begin);
}

py::array_t<std::int64_t> decide(TimedModel& timed, const std::vector<py::array>& parts, bool explores) {
  const auto views = views_of(parts);
  std::vector<std::int64_t> arms;
  {
    const py::gil_scoped_release unlocked;
    const auto begin = std::chrono::steady_clock::now();
    arms = timed.model.decide(views, explores, Interruptible());
    timed.seconds = apps::seconds_since(begin);
  }
  return array_of(std::move(arms));
}

py::array_t<double> exact_scores(const TimedModel& timed, const std::vector<py::array>& parts) {
  const auto views = views_of(parts);
  std::vector<double> scores;
  {
    const py::gil_scoped_release unlocked;
    scores = timed.model.exact_scores(views);
  }
  const auto arms = static_cast<py::ssize_t>(timed.model.plan().parameters.arms);
  return array_of(std::move(scores)).attr("reshape")(-1, arms);
}

std::unique_ptr<TimedModel> model_for(const BanditSettings& settings, const std::vector<std::size_t>& columns) {
  return with_max_rows([&] { return std::unique_ptr<TimedModel>(new TimedModel{SharedModel(settings, columns)}); });
}

void add_model(py::module_& module) {
  py::class_<TimedModel>(module, "SharedModel")
      .def(py::init(&model_for))
      .def("learn", &learn, py::arg("parts"), py::arg("arms"), py::arg("rewards"))
      .def("decide", &decide, py::arg("parts"), py::arg("explores"))
      .def("exact_scores", &exact_scores, py::arg("parts"))
      .def_property_readonly("learned", [](const TimedModel& timed) { return timed.model.learned(); })
      .def_property_readonly("decided", [](const TimedModel& timed) { return timed.model.decided(); })
      .def_readonly("seconds", &TimedModel::seconds)
      .def_property_readonly("greedy", [](const TimedModel& timed) { return timed.model.greedy(); })
      .def_property_readonly("cost", [](const TimedModel& timed) {
        return dict_of(timed.model.cost(), timed.model.plan().parameters.topology());
      });
}

}  // namespace

void add_bandit(py::module_& module) {
  add_settings(module);
  add_run(module);
  add_model(module);
  module.def("plan", &plan, py::arg("settings"), py::arg("columns"), py::arg("link"));
  module.def("simulate", &simulate, py::arg("settings"), py::arg("parts"), py::arg("reward"), py::arg("twin"),
             py::arg("command"), py::arg("progress"));
  module.def("largest_batch", &apps::bandit::largest_event_batch, py::arg("max_norm"));
  module.def(
      "check_rows",
      [](const std::vector<py::array>& parts, double max_norm) {
        apps::bandit::run::check_rows(views_of(parts), max_norm);
      },
      py::arg("parts"), py::arg("max_norm"));
  module.def("is_vacuous", &apps::bandit::is_vacuous, py::arg("eta"));
  module.def("eta", &eta, py::arg("arms"), py::arg("epsilon"), py::arg("decided"));
}

}  // namespace sotto::python
