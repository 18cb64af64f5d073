// The raw data of `sotto prepare`, whatever it was read from: rows of numbers, and labels if there are any.
//
// Errors as in apps/kit/files/table.h and apps/prepare/data/environment.h, and below of IDX files.
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

// A sequence of rows, which need not be held as doubles: 60,000 images are 47 MB of pixels and 376 MB of doubles.
struct RowSource {
  std::size_t rows = 0;
  std::size_t columns = 0;
  // Writes row r (from 0) to `out`, which has `columns` places.
  std::function<void(std::size_t r, std::span<double> out)> read;
};

struct RawData {
  std::vector<std::string> columns;   // names of the features
  RowSource features;                 // owns what it reads from
  std::vector<std::uint32_t> labels;  // one a row, or empty
};

// A CSV; the label column, if one is named, is not a feature.
[[nodiscard]] RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column);

// MNIST's training set from a folder of IDX files; pixels are divided by 255.
[[nodiscard]] RawData read_raw_mnist(const std::filesystem::path& folder);

// The rows in this order (indices from 0; a row may be left out), features and labels alike.
[[nodiscard]] RawData select_rows(RawData data, std::vector<std::size_t> order);

// Where digits.csv is, the UCI optical digits: beside an installed sotto, or in the source tree that this one was built
// from. Throws InputError, with what to do, when it is in neither place.
[[nodiscard]] std::filesystem::path shipped_digits();

// MNIST's IDX files: images and labels of one byte a pixel or label.
//
// The format is a big-endian header (magic 0x00000803 and count, height, width for images; 0x00000801 and count for
// labels) and then the bytes. A file's length must be exactly what its header says, and is compared before anything is
// allocated. Compressed files are not read.
//
// Errors are InputError that name the file and what is wrong with it.
struct IdxImages {
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<std::uint8_t> pixels;  // count x height x width
};

[[nodiscard]] IdxImages read_idx_images(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

// The training set of a folder that holds the files train-images-idx3-ubyte and train-labels-idx1-ubyte (a dot for the
// second dash is accepted).
struct IdxSet {
  IdxImages images;
  std::vector<std::uint8_t> labels;  // images.count
};
[[nodiscard]] IdxSet read_mnist_folder(const std::filesystem::path& folder);

}  // namespace sotto::apps::prepare
