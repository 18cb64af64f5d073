// The readers of the papers' data, of inputs that do not end or are no text.
#include "tests/apps/kit/files/every_reader.h"
#include "bench/lab/data/criteo.h"
#include "bench/lab/data/multi_label.h"

namespace sotto::apps::lab {
namespace {

template <class R, class... Arguments>
Reader rows_of(const char* name, Arguments... arguments) {
  return {name, [arguments...](const fs::path& path) {
            R reader(path, arguments...);
            MultiLabelRow row;
            while (reader.next(row)) continue;
          }};
}

INSTANTIATE_TEST_SUITE_P(Data, EveryReader,
                         ::testing::Values(rows_of<LibsvmReader>("libsvm"),
                                           rows_of<ArffReader>("arff", LabelColumns{1}),
                                           Reader{"criteo",
                                                  [](const auto& path) {
                                                    CriteoReader reader(path);
                                                    while (reader.next()) continue;
                                                  }}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace sotto::apps::lab
