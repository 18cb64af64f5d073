#include "sotto/apps/kit/data/raw_data.h"

#include <fmt/format.h>

#include <memory>
#include <system_error>
#include <utility>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/data/idx.h"
#include "sotto/apps/kit/files/table.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column) {
  const auto table = std::make_shared<const Table>(read_csv(path));
  RawData data;
  data.columns = table->columns;
  std::size_t label = table->columns.size();  // none
  if (label_column) {
    label = table->column(*label_column, " (--label-column)");
    data.columns.erase(data.columns.begin() + static_cast<std::ptrdiff_t>(label));
    for (std::size_t r = 0; r < table->rows; ++r) {
      data.labels.push_back(read_label(*table, r, label));
    }
  }
  if (data.columns.empty()) {
    throw InputError(table->file + ":1", "there is no feature column beside the label");
  }
  data.features = {table->rows, data.columns.size(), [table, label](std::size_t r, std::span<double> out) {
                     const auto row = table->row(r);
                     std::size_t place = 0;
                     for (std::size_t c = 0; c < row.size(); ++c) {
                       if (c != label) out[place++] = row[c];
                     }
                   }};
  return data;
}

RawData read_raw_mnist(const std::filesystem::path& folder) {
  IdxSet set = read_mnist_folder(folder);
  RawData data;
  data.labels.assign(set.labels.begin(), set.labels.end());
  const auto images = std::make_shared<const IdxImages>(std::move(set.images));
  const std::size_t pixels = images->height * images->width;
  for (std::size_t i = 0; i < pixels; ++i) data.columns.push_back(fmt::format("pixel_{}", i));
  data.features = {images->count, pixels, [images, pixels](std::size_t r, std::span<double> out) {
                     constexpr double white = 255;
                     for (std::size_t i = 0; i < pixels; ++i) {
                       out[i] = images->pixels[r * pixels + i] / white;
                     }
                   }};
  return data;
}

RawData select_rows(RawData data, std::vector<std::size_t> order) {
  RawData selected;
  selected.columns = std::move(data.columns);
  if (!data.labels.empty()) {
    for (const std::size_t r : order) selected.labels.push_back(data.labels.at(r));
  }
  const std::size_t rows = order.size();
  selected.features = {rows, data.features.columns,
                       [order = std::move(order), read = std::move(data.features.read)](
                           std::size_t r, std::span<double> out) { read(order[r], out); }};
  return selected;
}

std::filesystem::path shipped_digits() {
  std::error_code ignored;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  // Both are set by the build: the way from the folder of programs to that of data, and the source tree.
  for (const auto& folder : {executable.parent_path() / SOTTO_SHARE_PATH, std::filesystem::path(SOTTO_DATA_DIR)}) {
    const auto path = folder / "digits.csv";
    if (std::filesystem::exists(path, ignored)) return path.lexically_normal();
  }
  throw InputError(
      "the digits that come with sotto are not where it was installed; name the file digits.csv with --input");
}

}  // namespace sotto::apps
