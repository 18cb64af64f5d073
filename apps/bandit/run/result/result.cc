#include "apps/bandit/run/result/result.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/kit/learn/mean.h"

namespace sotto::apps::bandit::run {
namespace {

struct Doubles {
  std::vector<double*>& found;
  void operator()(const char*, double& value) const { found.push_back(&value); }
  void unless_empty(const char*, std::optional<double>& value) const {
    if (value) found.push_back(&*value);
  }
  void operator()(const char*, const auto&) const {}
  void unless_empty(const char*, const auto&) const {}
  void derived(const char*, const auto&) const {}
};
template <class T>
std::vector<double*> doubles_of(T& item) {
  std::vector<double*> found;
  T::describe(item, Doubles{found});
  return found;
}

template <class T>
void average_items(T& into, std::vector<T> items) {
  T mean = into;
  const std::vector<double*> means = doubles_of(mean);
  for (double* number : means) *number = 0;
  for (T& item : items) {
    const std::vector<double*> numbers = doubles_of(item);
    if (numbers.size() != means.size()) return;
    for (std::size_t i = 0; i < means.size(); ++i) {
      *means[i] += *numbers[i] / static_cast<double>(items.size());
    }
  }
  into = mean;
}

template <class T>
void average_lists(std::span<const BanditResult> runs, BanditResult& result, std::vector<T> BanditResult::*list) {
  for (const BanditResult& run : runs) {
    if ((run.*list).size() != (result.*list).size()) return;
  }
  for (std::size_t i = 0; i < (result.*list).size(); ++i) {
    std::vector<T> items;
    for (const BanditResult& run : runs) items.push_back((run.*list)[i]);
    average_items((result.*list)[i], std::move(items));
  }
}

void average_costs(std::span<const BanditResult> runs, BanditResult& result) {
  average_lists(runs, result, &BanditResult::roles);
  average_lists(runs, result, &BanditResult::phases);
  average_lists(runs, result, &BanditResult::step_rounds);
  for (const BanditResult& run : runs) {
    for (std::size_t i = 0; i < std::min(run.roles.size(), result.roles.size()); ++i) {
      std::uint64_t& peak = result.roles[i].peak_memory_bytes;
      peak = std::max(peak, run.roles[i].peak_memory_bytes);
    }
  }
  std::vector<LinkModel> models;
  for (const BanditResult& run : runs) {
    if (run.link_model) models.push_back(*run.link_model);
  }
  if (models.size() == runs.size()) average_items(*result.link_model, std::move(models));
}

Curve average_of(std::span<const BanditResult> runs, Curve BanditResult::*member) {
  std::vector<Curve> curves;
  curves.reserve(runs.size());
  for (const BanditResult& run : runs) curves.push_back(run.*member);
  return average_curves(curves);
}

}  // namespace

BanditResult average(std::span<const BanditResult> runs) {
  if (runs.empty()) throw std::invalid_argument("average: no runs");
  BanditResult result = runs.front();
  result.repeats = runs.size();
  const auto failed =
      std::find_if(runs.begin(), runs.end(), [](const BanditResult& run) { return run.status == RunStatus::failed; });
  if (failed != runs.end()) {
    result.status = RunStatus::failed;
    result.error = failed->error;
  }
  result.runs.resize(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    BanditResult::describe_figures(runs[i], [&](const char* name, const std::optional<double>& figure) {
      if (figure) result.runs[i][name] = *figure;
    });
  }
  BanditResult::describe_figures(result, [&](const char* name, std::optional<double>& mean) {
    std::vector<double> values;
    for (const auto& run : result.runs) {
      if (const auto found = run.find(name); found != run.end()) values.push_back(found->second);
    }
    if (values.empty()) return;
    const MeanAndSd moments = mean_and_sd(values);
    mean = moments.mean;
    result.sd[name] = moments.sd;
  });
  if (result.status == RunStatus::complete) {  // the curves of a failed run have other lengths
    result.reward_curve = average_of(runs, &BanditResult::reward_curve);
  }
  average_costs(runs, result);
  return result;
}

}  // namespace sotto::apps::bandit::run
