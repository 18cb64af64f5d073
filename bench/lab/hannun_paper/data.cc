#include "bench/lab/hannun_paper/data.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/data/reduction.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

namespace fs = std::filesystem;

// "t10k-images", "idx3-ubyte": with a dash or a dot between them. Nothing where there is no such file.
std::optional<fs::path> idx_file(const fs::path& folder, std::string_view name, std::string_view kind) {
  for (const char separator : {'-', '.'}) {
    fs::path path = folder / fmt::format("{}{}{}", name, separator, kind);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

RowSource rows_of(const std::shared_ptr<const IdxImages>& images) {
  const std::size_t pixels = images->height * images->width;
  return {images->count, pixels, [images, pixels](std::size_t r, std::span<double> out) {
            constexpr double white = 255;
            for (std::size_t i = 0; i < pixels; ++i) out[i] = images->pixels[r * pixels + i] / white;
          }};
}

HannunImages reduced(const Pca& pca, const RowSource& rows, std::vector<std::uint32_t> labels) {
  HannunImages images{project(pca, rows), std::move(labels)};
  unit_norm(images.contexts, hannun_features);
  return images;
}

// MNIST's test set, as far as it is there.
HannunImages held_out_images(const fs::path& folder, const Pca& pca) {
  const auto images_file = idx_file(folder, "t10k-images", "idx3-ubyte");
  const auto labels_file = idx_file(folder, "t10k-labels", "idx1-ubyte");
  if (!images_file || !labels_file) return {};
  const auto images = std::make_shared<const IdxImages>(read_idx_images(*images_file));
  const std::vector<std::uint8_t> labels = read_idx_labels(*labels_file);
  if (images->height * images->width != pca.columns || labels.size() != images->count) return {};
  return reduced(pca, rows_of(images), {labels.begin(), labels.end()});
}

}  // namespace

HannunData load_hannun_data(const std::optional<fs::path>& mnist) {
  HannunData data;
  data.is_mnist = mnist.has_value();
  data.name = data.is_mnist ? "MNIST" : "digits";
  const RawData raw = mnist ? read_raw_mnist(*mnist) : read_raw_csv(shipped_digits(), "label");
  const Pca pca = fit_pca(raw.features, hannun_features);
  data.played = reduced(pca, raw.features, raw.labels);
  if (mnist) data.held_out = held_out_images(*mnist, pca);
  return data;
}

bool holds_mnist(const fs::path& folder) { return idx_file(folder, "train-images", "idx3-ubyte").has_value(); }

}  // namespace sotto::apps::lab
