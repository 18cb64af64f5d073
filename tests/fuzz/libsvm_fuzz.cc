// A multi-label file in libsvm's format: read as rows whose labels and features ascend, or InputError.
#include "sotto/apps/kit/data/libsvm.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    apps::LibsvmReader reader(file.path());
    apps::MultiLabelRow row;
    while (reader.next(row)) {
      for (std::size_t i = 0; i < row.labels.size(); ++i) {
        fuzz::require(row.labels[i] < apps::most_labels, "a label within the limit");
        fuzz::require(i == 0 || row.labels[i - 1] < row.labels[i], "labels ascend");
      }
      for (std::size_t i = 0; i < row.features.size(); ++i) {
        fuzz::require(row.features[i].first < apps::most_features, "an index within the limit");
        fuzz::require(i == 0 || row.features[i - 1].first < row.features[i].first,
                      "indices ascend");
      }
    }
  } catch (const InputError&) {
    // Most inputs are none.
  }
  return 0;
}
