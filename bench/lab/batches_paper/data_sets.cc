#include "bench/lab/batches_paper/data_sets.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/kit/learn/seeded.h"
#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/data/reduction.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

constexpr std::size_t components = 20;

LabelledData reduced(RawData raw) {
  LabelledData data;
  data.rows = raw.features.rows;
  data.features = components;
  data.contexts = project(fit_pca(raw.features, components), raw.features);
  unit_norm(data.contexts, components);
  data.labels = std::move(raw.labels);
  data.arms = *std::max_element(data.labels.begin(), data.labels.end()) + std::size_t{1};
  return data;
}

constexpr std::size_t letters = 26;
constexpr std::size_t typefaces = 3;
constexpr std::size_t measures = 16;
constexpr double largest_measure = 15;
constexpr double spread_of_letters = 1.8;
constexpr double spread_of_typefaces = 2.0;
constexpr double spread_of_prints = 2.6;

// Normal numbers of a stream, one at a time.
class Normals {
 public:
  Normals(std::uint64_t seed, std::uint64_t stream) : stream_(seed, stream) {}
  double next() { return normal_pair(stream_).first; }
  std::uint64_t below(std::uint64_t n) { return stream_.below(n); }

 private:
  StepStream stream_;
};

// letters x typefaces x measures.
std::vector<double> shapes(std::uint64_t seed) {
  Normals draws(seed, 0);
  std::vector<double> all;
  all.reserve(letters * typefaces * measures);
  for (std::size_t letter = 0; letter < letters; ++letter) {
    std::vector<double> shape(measures);
    for (double& measure : shape) measure = largest_measure / 2 + spread_of_letters * draws.next();
    for (std::size_t typeface = 0; typeface < typefaces; ++typeface) {
      for (const double measure : shape) all.push_back(measure + spread_of_typefaces * draws.next());
    }
  }
  return all;
}

}  // namespace

std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed) {
  // Another stream than that of the run's own draws.
  constexpr std::uint64_t order_stream = 0x9e3779b97f4a7c15;
  return SeededDraws(seed ^ order_stream).permutation(data.rows);
}

LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order) {
  LabelledData result{data.rows, data.features, data.arms, {}, {}};
  result.contexts.reserve(data.contexts.size());
  result.labels.reserve(data.labels.size());
  for (const std::size_t row : order) {
    const auto context = data.context(row);
    result.contexts.insert(result.contexts.end(), context.begin(), context.end());
    result.labels.push_back(data.labels[row]);
  }
  return result;
}

DataSet digits_set() { return {"digits", reduced(read_raw_csv(shipped_digits(), "label")), digits_events}; }

DataSet mnist_set(const std::filesystem::path& folder) {
  DataSet set{"MNIST", reduced(read_raw_mnist(folder)), 0};
  set.events = set.data.rows;
  return set;
}

DataSet glyph_set(std::uint64_t events, std::uint64_t seed) {
  const std::vector<double> printed = shapes(seed);
  DataSet set{"26 arms", {}, events};
  LabelledData& data = set.data;
  data.rows = static_cast<std::size_t>(events);
  data.features = measures + 1;
  data.arms = letters;
  data.contexts.reserve(data.rows * data.features);
  data.labels.reserve(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    Normals draws(seed, 1 + row);
    const std::uint64_t letter = draws.below(letters);
    const std::size_t shape = (static_cast<std::size_t>(letter) * typefaces + draws.below(typefaces)) * measures;
    for (std::size_t i = 0; i < measures; ++i) {
      const double measure = std::round(printed[shape + i] + spread_of_prints * draws.next());
      data.contexts.push_back(std::clamp(measure, 0.0, largest_measure) / largest_measure - .5);
    }
    data.contexts.push_back(.5);
    data.labels.push_back(static_cast<std::uint32_t>(letter));
  }
  unit_norm(data.contexts, data.features);
  return set;
}

}  // namespace sotto::apps::lab
