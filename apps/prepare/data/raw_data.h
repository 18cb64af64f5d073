// The raw data of `sotto prepare` from any source: rows of numbers, and labels if there are any.
//
// Errors are as in apps/kit/files/table.h and apps/prepare/data/environment.h. The errors of IDX files are described
// with IdxImages.
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

// A sequence of rows that need not be in memory as doubles: 60,000 images are 47 MB of pixels and 376 MB of doubles.
struct RowSource {
  std::size_t rows = 0;
  std::size_t columns = 0;
  // Writes row r (from 0) to `out`, which has `columns` places.
  std::function<void(std::size_t r, std::span<double> out)> read;
};

struct RawData {
  std::vector<std::string> columns;   // names of the features
  RowSource features;                 // this RowSource owns the data that it reads
  std::vector<std::uint32_t> labels;  // one label per row, or empty
};

// Reads a CSV. The label column, if one is named, is not a feature.
[[nodiscard]] RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column);

// Reads MNIST's training set from a folder of IDX files. Pixels are divided by 255.
[[nodiscard]] RawData read_raw_mnist(const std::filesystem::path& folder);

// Returns the rows in the given order, with their features and labels. `order` has indices from 0, and may leave out
// rows.
[[nodiscard]] RawData select_rows(RawData data, std::vector<std::size_t> order);

// The path of digits.csv, the UCI optical digits: next to an installed sotto, or in the source tree of this build.
// Throws InputError, which says what to do, if the file is in neither place.
[[nodiscard]] std::filesystem::path shipped_digits();

// MNIST's IDX files: images and labels, one byte per pixel or label.
//
// The format is a big-endian header (magic 0x00000803 and count, height, width for images; 0x00000801 and count for
// labels) and then the bytes. The length of a file must be exactly the length that its header states. Memory is
// allocated only as the bytes of a file arrive. Compressed files are not read.
//
// Errors are InputError. An error names the file and the fault.
struct IdxImages {
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<std::uint8_t> pixels;  // count x height x width
};

[[nodiscard]] IdxImages read_idx_images(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

// The training set of a folder that has the files train-images-idx3-ubyte and train-labels-idx1-ubyte (the second dash
// of a name may also be a dot).
struct IdxSet {
  IdxImages images;
  std::vector<std::uint8_t> labels;  // images.count
};
[[nodiscard]] IdxSet read_mnist_folder(const std::filesystem::path& folder);

}  // namespace sotto::apps::prepare
