#include "sotto/apps/o3m/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::size_t most_participants = 8;

void check_participants(const O3mFiles& files) {
  if (files.passive.empty()) {
    throw InputError("--passive", "an O3M run needs at least one passive participant");
  }
  if (files.passive.size() + 1 > most_participants) {
    throw InputError("--passive", fmt::format("{} passive participants; there can be {} beside the active one",
                                              files.passive.size(), most_participants - 1));
  }
}

void check_alike(const ParticipantContexts& contexts, const O3mEnvironment& environment) {
  if (contexts.steps != environment.steps()) {
    throw InputError(contexts.file,
                     fmt::format("{}, but {} has {}; all files must have the same steps",
                                 counted(contexts.steps, "step"), environment.file(), environment.steps()));
  }
  if (contexts.first_step && *contexts.first_step != environment.first_step()) {
    throw InputError(contexts.file, fmt::format("steps are numbered from {}, but from {} in {}; number them alike",
                                                *contexts.first_step, environment.first_step(), environment.file()));
  }
}

void check_bounds(const std::vector<ParticipantContexts>& participants) {
  double sum = 0;
  for (const ParticipantContexts& contexts : participants) sum += contexts.bound;
  if (sum <= largest_context_bound) return;
  throw InputError(
      participants.front().file,
      fmt::format("the norms of the contexts of all participants add up to more than {}; scale the features down",
                  largest_context_bound));
}

void check_arms_differ(const O3mInputs& inputs) {
  const auto depends = [](const ParticipantContexts& contexts) { return contexts.depends_on_arm; };
  if (inputs.arms() == 1) return;
  if (std::any_of(inputs.participants.begin(), inputs.participants.end(), depends)) return;
  throw InputError(
      inputs.participants.front().file,
      "no file tells the arms apart; give --arms-file, or a column 'arm' with a row for each step and arm");
}

}  // namespace

std::size_t O3mInputs::dimension() const {
  std::size_t dimension = 0;
  for (const ParticipantContexts& contexts : participants) dimension += contexts.columns;
  return dimension;
}

std::vector<ContextFiles> participant_files(const O3mFiles& files, std::size_t arms) {
  std::vector<ContextFiles> all;
  all.push_back({files.active, files.arms_file, files.combine, arms});
  for (const std::filesystem::path& passive : files.passive) {
    ContextFiles own{passive, {}, files.combine, arms};
    if (files.combine == Combine::outer_sum) own.arms_file = files.arms_file;
    all.push_back(std::move(own));
  }
  return all;
}

O3mInputs read_o3m_inputs(const O3mFiles& files) {
  check_participants(files);
  if (files.combine == Combine::outer_sum && files.arms_file.empty()) {
    throw InputError("--combine", "the sum of user and arm features needs --arms-file");
  }
  O3mInputs inputs{{}, O3mEnvironment::read(files.environment)};
  for (const ContextFiles& own : participant_files(files, inputs.arms())) {
    inputs.participants.push_back(read_contexts(own));
    check_alike(inputs.participants.back(), inputs.environment);
  }
  check_bounds(inputs.participants);
  check_arms_differ(inputs);
  return inputs;
}

void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts) {
  const std::size_t dimension = inputs.dimension();
  if (contexts.size() != inputs.arms() * dimension || t >= inputs.steps()) {
    throw std::invalid_argument("join_contexts: no such step, or no room for it");
  }
  std::size_t offset = 0;
  for (const ParticipantContexts& own : inputs.participants) {
    const std::span<const double> values = own.at(t);
    for (std::size_t arm = 0; arm < inputs.arms(); ++arm) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(arm * own.columns), own.columns,
                  contexts.begin() + static_cast<std::ptrdiff_t>(arm * dimension + offset));
    }
    offset += own.columns;
  }
}

}  // namespace sotto::apps
