#include "apps/o3m/synthetic_files.h"

#include <fmt/format.h>

#include <numeric>
#include <string>

#include "apps/kit/files/table.h"
#include "apps/kit/learn/instance.h"
#include "apps/kit/program/out_options.h"
#include "apps/prepare/data/environment.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
namespace {

constexpr int digits = 10;
constexpr std::uint64_t most_numbers = std::uint64_t{1} << 30;  // largest number of values in all files together
constexpr double largest_noise = 1000;

std::size_t dimension_of(const SyntheticO3m& options) {
  return std::accumulate(options.split.begin(), options.split.end(), std::size_t{0});
}

void check(const SyntheticO3m& options) {
  if (options.split.size() < 2 || options.split.size() > 8) {
    throw InputError("--split", fmt::format("{}; there can be 2 to 8", counted(options.split.size(), "participant")));
  }
  for (const std::size_t columns : options.split) {
    if (columns == 0 || columns > most_numbers) {
      throw InputError("--split", "every participant has at least one feature");
    }
  }
  if (options.arms == 0 || options.arms > prepare::max_arms) {
    throw InputError("--arms", fmt::format("there can be 1 to {} arms", prepare::max_arms));
  }
  if (!(options.noise_sd >= 0 && options.noise_sd <= largest_noise)) {
    throw InputError("--noise", fmt::format("the standard deviation of the noise is from 0 to {}", largest_noise));
  }
  const double rows = static_cast<double>(options.steps) * static_cast<double>(options.arms);
  if (options.steps == 0 || rows * static_cast<double>(dimension_of(options)) > static_cast<double>(most_numbers)) {
    throw InputError(
        "--steps",
        fmt::format("there can be 1 step or more, and up to {} numbers in all: steps x arms x features", most_numbers));
  }
}

struct Columns {
  std::vector<std::string> names{"t", "arm"};
  std::vector<double> values;

  void begin_row(std::uint64_t t, std::size_t arm) {
    values.push_back(static_cast<double>(t));
    values.push_back(static_cast<double>(arm));
  }
};

}  // namespace

O3mFiles write_synthetic_o3m(const SyntheticO3m& options) {
  check(options);
  make_run_directory(options.output);
  const LinearInstance instance({dimension_of(options), options.arms, options.noise_sd, options.seed});
  std::vector<Columns> participants(options.split.size());
  for (std::size_t j = 0; j < options.split.size(); ++j) {
    for (std::size_t i = 0; i < options.split[j]; ++i) {
      participants[j].names.push_back(fmt::format("f{}", i));
    }
  }
  Columns environment;
  environment.names.insert(environment.names.end(), {"reward", "mean"});
  std::vector<double> contexts(options.arms * instance.dimension());
  for (std::uint64_t t = 0; t < options.steps; ++t) {
    instance.contexts(0, t, contexts);
    const double noise = instance.noise(0, t);
    const double* at = contexts.data();
    for (std::size_t arm = 0; arm < options.arms; ++arm) {
      const double mean = instance.mean({at, instance.dimension()});
      environment.begin_row(t, arm);
      environment.values.insert(environment.values.end(), {mean + noise, mean});
      for (std::size_t j = 0; j < participants.size(); ++j) {
        participants[j].begin_row(t, arm);
        participants[j].values.insert(participants[j].values.end(), at, at + options.split[j]);
        at += options.split[j];
      }
    }
  }
  O3mFiles files;
  for (std::size_t j = 0; j < participants.size(); ++j) {
    const std::filesystem::path file =
        options.output / (j == 0 ? std::string("active.csv") : fmt::format("passive_{}.csv", j));
    write_csv(file, participants[j].names, participants[j].values, digits);
    if (j == 0) {
      files.active = file;
    } else {
      files.passive.push_back(file);
    }
  }
  files.environment = options.output / "environment.csv";
  write_csv(files.environment, environment.names, environment.values, digits);
  return files;
}

}  // namespace sotto::apps::o3m
