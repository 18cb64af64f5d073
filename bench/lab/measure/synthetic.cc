#include "sotto/bench/lab/measure/synthetic.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/data/seeded.h"
#include "sotto/apps/kit/files/atomic_file.h"

namespace sotto::apps {
namespace {

// Normal, by Box and Muller.
double normal(SeededDraws& draws) {
  const double radius = std::sqrt(-2 * std::log(1 - draws.unit()));
  return radius * std::cos(2 * std::numbers::pi * draws.unit());
}

std::vector<double> directions(SeededDraws& draws, std::size_t count, std::size_t features) {
  std::vector<double> values(count * features);
  for (std::size_t row = 0; row < count; ++row) {
    double square = 0;
    for (std::size_t i = 0; i < features; ++i) {
      double& value = values[row * features + i];
      value = normal(draws);
      square += value * value;
    }
    // Norm 1, as near as doubles can tell.
    for (std::size_t i = 0; i < features; ++i) values[row * features + i] /= std::sqrt(square);
  }
  return values;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::string party_text(const SyntheticData& data, std::size_t begin, std::size_t columns) {
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) text += fmt::format("{}x{}", c ? "," : "", begin + c);
  for (std::size_t row = 0; row < data.rows; ++row) {
    text += '\n';
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) text += ',';
      text += fmt::format("{}", data.context(row)[begin + c]);
    }
  }
  return text + "\n";
}

}  // namespace

SyntheticData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed) {
  SeededDraws draws(seed);
  SyntheticData data{rows, features, arms, directions(draws, rows, features), {}};
  const std::vector<double> centres = directions(draws, arms, features);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t best = 0;
    double most = -2;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      const double score = dot(data.context(row), std::span(centres).subspan(arm * features, features));
      if (score > most) best = arm;
      if (score > most) most = score;
    }
    data.labels.push_back(static_cast<std::uint32_t>(best));
  }
  return data;
}

BanditOptions write_data(const SyntheticData& data, std::size_t parties, const std::filesystem::path& folder) {
  BanditOptions options;
  options.run.max_norm = 1;
  options.run.arms = data.arms;
  std::size_t begin = 0;
  for (const std::size_t columns : even_columns(parties, data.features)) {
    options.parties.push_back(folder / fmt::format("party_{}.csv", options.parties.size()));
    write_file(options.parties.back(), party_text(data, begin, columns));
    begin += columns;
  }
  std::string labels = "label\n";
  for (const std::uint32_t label : data.labels) labels += fmt::format("{}\n", label);
  options.environment = folder / "environment.csv";
  write_file(options.environment, labels);
  return options;
}

}  // namespace sotto::apps
