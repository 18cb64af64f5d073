// An ARFF file: read as rows of the attributes that its header has, or InputError. The labels are those that
// the relation names, else the last attribute.
#include <cmath>

#include "sotto/apps/kit/data/arff.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace {

void read_all(const std::filesystem::path& path, const sotto::apps::LabelColumns& labels) {
  using namespace sotto;
  try {
    apps::ArffReader reader(path, labels);
    apps::MultiLabelRow row;
    while (reader.next(row)) {
      for (const std::uint32_t label : row.labels) {
        fuzz::require(label < reader.labels(), "a label of the header");
      }
      for (const auto& [feature, value] : row.features) {
        fuzz::require(feature < reader.features(), "a feature of the header");
        fuzz::require(std::isfinite(value) && value != 0, "values are numbers other than 0");
      }
    }
  } catch (const InputError&) {
    // Most inputs are none.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sotto::fuzz::MemoryFile file(data, size);
  read_all(file.path(), {});
  read_all(file.path(), {1, false});
  return 0;
}
