// The raw data of `sotto prepare` from any source. Errors are as in apps/kit/files/table.h and
// apps/prepare/data/environment.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::apps::prepare {

struct RowSource {
  std::size_t rows = 0;
  std::size_t columns = 0;
  // Writes row r (from 0) to `out`, which has `columns` places.
  std::function<void(std::size_t r, std::span<double> out)> read;
};

struct RawData {
  std::vector<std::string> columns;
  RowSource features;
  std::vector<std::uint32_t> labels;
};

[[nodiscard]] RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column);

// Reads MNIST's training set from a folder of IDX files. Pixels are divided by 255.
[[nodiscard]] RawData read_raw_mnist(const std::filesystem::path& folder);

[[nodiscard]] RawData select_rows(RawData data, std::vector<std::size_t> order);

// The path of digits.csv, the UCI optical digits: next to an installed sotto, or in the source tree of this build.
// Throws InputError if the file is in neither place.
[[nodiscard]] std::filesystem::path shipped_digits();

// MNIST's IDX files: images and labels, one byte per pixel or label.
//
// The format is a big-endian header (magic 0x00000803 and count, height, width for images; 0x00000801 and count for
// labels) and then the bytes. The length of a file must be exactly the length that its header states. Compressed files
// are not read. Errors are InputError, and name the file.
struct IdxImages {
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<std::uint8_t> pixels;  // count x height x width
};

[[nodiscard]] IdxImages read_idx_images(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

// The folder has the files train-images-idx3-ubyte and train-labels-idx1-ubyte (the second dash of a name may also be a
// dot).
struct IdxSet {
  IdxImages images;
  std::vector<std::uint8_t> labels;
};
[[nodiscard]] IdxSet read_mnist_folder(const std::filesystem::path& folder);

}  // namespace sotto::apps::prepare
