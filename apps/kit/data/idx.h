// MNIST's IDX files: images and labels of one byte a pixel or label.
//
// The format is a big-endian header (magic 0x00000803 and count, height, width for images; 0x00000801 and count for
// labels) and then the bytes. A file's length must be exactly what its header says, and is compared before anything is
// allocated. Compressed files are not read.
//
// Errors are InputError that name the file and what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace sotto::apps {

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

}  // namespace sotto::apps
