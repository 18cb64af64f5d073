// The data of `sotto-lab paper hannun`: images as contexts of 20 principal components and norm 1, one arm a class.
//
// MNIST's 60,000 training images, pixels / 255, centred and not whitened, as Hannun et al. 2019, section 5; its test
// images are held out, projected by the same components. Where there is no MNIST, the 1797 digits that come with sotto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::apps::lab {

inline constexpr std::size_t hannun_features = 20;

// Contexts are row-major, hannun_features a row, each row of norm 1 (or 0 where an image is the mean).
struct HannunImages {
  std::vector<double> contexts;
  std::vector<std::uint32_t> labels;  // below 10

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
  [[nodiscard]] std::span<const double> context(std::size_t row) const {
    return std::span(contexts).subspan(row * hannun_features, hannun_features);
  }
};

struct HannunData {
  std::string name;  // "MNIST", "digits"
  bool is_mnist = false;
  HannunImages played;
  HannunImages held_out;  // no rows where none are published apart
};

// `mnist`: a folder of IDX files, whose t10k files may be missing; nothing: the digits. Throws InputError.
[[nodiscard]] HannunData load_hannun_data(const std::optional<std::filesystem::path>& mnist);

// Whether the folder has MNIST's training images.
[[nodiscard]] bool holds_mnist(const std::filesystem::path& folder);

}  // namespace sotto::apps::lab
