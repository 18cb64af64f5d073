#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "bench/lab/data/criteo.h"
#include "bench/lab/data/multi_label.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace sotto::apps::lab;

using namespace apps;

void criteo(const std::filesystem::path& path) {
  const std::atomic<bool> not_interrupted{false};
  or_refused([&] {
    const CriteoItems items = survey_criteo(path, {4, UINT64_MAX}, not_interrupted);
    require(items.items.size() >= 2 && items.items.size() <= 4, "two to four arms");
    CriteoUser ones;
    ones.fill(1);
    CriteoEvents events(path, items, ones);
    std::uint64_t streamed = 0;
    while (const auto event = events.next()) {
      ++streamed;
      require(event->arm < items.items.size(), "an arm of the survey");
      for (const double u : event->user) require(u >= 0 && u <= 1, "scaled to [0, 1]");
    }
    require(streamed == items.kept, "all kept rows are streamed");
  });
}

void libsvm(const std::filesystem::path& path) {
  or_refused([&] {
    LibsvmReader reader(path);
    MultiLabelRow row;
    while (reader.next(row)) {
      for (std::size_t i = 0; i < row.labels.size(); ++i) {
        require(row.labels[i] < most_labels, "a label within the limit");
        require(i == 0 || row.labels[i - 1] < row.labels[i], "labels ascend");
      }
      for (std::size_t i = 0; i < row.features.size(); ++i) {
        require(row.features[i].first < most_features, "an index within the limit");
        require(i == 0 || row.features[i - 1].first < row.features[i].first, "indices ascend");
      }
    }
  });
}

// The labels are the attributes that the relation names, else the last attribute.
namespace {
void read_all(const std::filesystem::path& path, const LabelColumns& labels) {
  or_refused([&] {
    ArffReader reader(path, labels);
    MultiLabelRow row;
    while (reader.next(row)) {
      for (const std::uint32_t label : row.labels) require(label < reader.labels(), "a label of the header");
      for (const auto& [feature, value] : row.features) {
        require(feature < reader.features(), "a feature of the header");
        require(std::isfinite(value) && value != 0, "values are numbers other than 0");
      }
    }
  });
}
}  // namespace

void arff(const std::filesystem::path& path) {
  read_all(path, {});
  read_all(path, {1, false});
}

}  // namespace sotto::fuzz
