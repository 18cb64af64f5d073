// Multi-label data: rows of features, each with the set of labels that fit it. Readers of the formats that such data is
// published in hand it out row by row: libsvm (apps/kit/data/libsvm.h) and ARFF (apps/kit/data/arff.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sotto::apps {

// Features and labels that a file may have: a hostile number must not make memory grow.
inline constexpr std::size_t most_features = std::size_t{1} << 20;
inline constexpr std::size_t most_labels = std::size_t{1} << 16;

struct MultiLabelRow {
  std::vector<std::uint32_t> labels;                       // ascending, each once, from 0
  std::vector<std::pair<std::uint32_t, double>> features;  // ascending, from 0; others are 0
};

class MultiLabelReader {
 public:
  virtual ~MultiLabelReader() = default;
  // Reads the next row into `row`; false at the end. Errors are InputError with file:line:column.
  [[nodiscard]] virtual bool next(MultiLabelRow& row) = 0;
};

// How an ARFF file tells labels from features, where its relation does not (Meka's "-C n").
struct LabelColumns {
  std::size_t count = 0;  // 0: as the relation says
  bool first = false;     // the first attributes, not the last ones
};

// By the ending of the name: .arff, or libsvm for any other. InputError for a file that cannot be read.
[[nodiscard]] std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path,
                                                                 const LabelColumns& labels = {});

}  // namespace sotto::apps
