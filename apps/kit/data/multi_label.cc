#include "sotto/apps/kit/data/multi_label.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "sotto/apps/kit/data/arff.h"
#include "sotto/apps/kit/data/libsvm.h"

namespace sotto::apps {

std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path, const LabelColumns& labels) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".arff") return std::make_unique<ArffReader>(path, labels);
  return std::make_unique<LibsvmReader>(path);
}

}  // namespace sotto::apps
