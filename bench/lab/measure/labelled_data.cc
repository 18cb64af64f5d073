#include "bench/lab/measure/labelled_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/instance.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::prepare;
namespace {

std::string party_text(const LabelledData& data, std::size_t begin, std::size_t columns) {
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

LabelledData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed) {
  LabelledData data{rows, features, arms, std::vector<double>(rows * features), {}};
  std::vector<double> centres(arms * features);
  LinearInstance({features, arms, 0, seed}).contexts(1, 0, centres);
  const LinearInstance people({features, 1, 0, seed});
  for (std::size_t row = 0; row < rows; ++row) {
    const auto context = std::span(data.contexts).subspan(row * features, features);
    people.contexts(0, row, context);
    std::vector<double> scores;
    for (auto centre = centres.cbegin(); centre != centres.cend(); centre += static_cast<std::ptrdiff_t>(features)) {
      scores.push_back(std::inner_product(context.begin(), context.end(), centre, 0.0));
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    data.labels.push_back(static_cast<std::uint32_t>(best));
  }
  return data;
}

LabelledData reduced(const Pca& pca, const RowSource& rows, std::vector<std::uint32_t> labels) {
  LabelledData data{rows.rows, pca.components, 0, project(pca, rows), std::move(labels)};
  unit_norm(data.contexts, data.features);
  if (!data.labels.empty()) data.arms = *std::max_element(data.labels.begin(), data.labels.end()) + std::size_t{1};
  return data;
}

BanditOptions write_data(const LabelledData& data, std::size_t parties, const std::filesystem::path& folder) {
  BanditOptions options;
  options.plain_plays = {};
  options.compare_parts = false;
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

}  // namespace sotto::apps::lab
