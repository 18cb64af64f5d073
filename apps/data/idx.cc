#include "apps/data/idx.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "apps/data/read_file.h"
#include "core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::uint32_t images_magic = 0x00000803;
constexpr std::uint32_t labels_magic = 0x00000801;
// Keeps count x height x width far below 2^64; no image set is anywhere near it.
constexpr std::size_t largest_side = 4096;

std::size_t word_at(std::string_view text, std::size_t index) {
  std::size_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word = word << 8 | static_cast<std::uint8_t>(text[4 * index + i]);
  }
  return word;
}

void check_header(const std::string& text, std::size_t words, std::uint32_t magic,
                  const std::string& file) {
  if (text.starts_with("\x1f\x8b")) {
    throw InputError(file, "the file is compressed; unpack it with gunzip first");
  }
  if (text.size() < 4 * words) {
    throw InputError(
        file, fmt::format("{} bytes are too short for the header of an IDX file", text.size()));
  }
  if (word_at(text, 0) != magic) {
    throw InputError(
        file, fmt::format("the file begins with {:08x}, but IDX {} begin with {:08x}",
                          word_at(text, 0), magic == images_magic ? "images" : "labels", magic));
  }
  if (word_at(text, 1) == 0) throw InputError(file, "the file holds nothing: its count is 0");
}

void check_length(const std::string& text, std::size_t expected, const std::string& file) {
  if (text.size() == expected) return;
  throw InputError(
      file, fmt::format("the file has {} bytes, but its header says {}; it was {}", text.size(),
                        expected, text.size() < expected ? "cut short" : "added to"));
}

std::vector<std::uint8_t> bytes_from(const std::string& text, std::size_t offset) {
  return {text.begin() + static_cast<std::ptrdiff_t>(offset), text.end()};
}

std::filesystem::path find_file(const std::filesystem::path& folder, std::string_view name,
                                std::string_view kind) {
  for (const char separator : {'-', '.'}) {
    auto path = folder / fmt::format("{}{}{}", name, separator, kind);
    if (std::filesystem::exists(path)) return path;
  }
  const std::string wanted = fmt::format("{}-{}", name, kind);
  if (std::filesystem::exists(folder / (wanted + ".gz"))) {
    throw InputError((folder / (wanted + ".gz")).string(),
                     "the file is compressed; unpack it with gunzip first");
  }
  throw InputError(folder.string(),
                   fmt::format("no file {} here; give the folder of MNIST's IDX files "
                               "(scripts/get-mnist brings them)",
                               wanted));
}

}  // namespace

IdxImages read_idx_images(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::string file = path.string();
  constexpr std::size_t header_words = 4;
  check_header(text, header_words, images_magic, file);
  IdxImages images{word_at(text, 1), word_at(text, 2), word_at(text, 3), {}};
  for (const std::size_t side : {images.height, images.width}) {
    if (side == 0 || side > largest_side) {
      throw InputError(file, fmt::format("images of {} x {} pixels; 1 to {} are possible a side",
                                         images.height, images.width, largest_side));
    }
  }
  check_length(text, 4 * header_words + images.count * images.height * images.width, file);
  images.pixels = bytes_from(text, 4 * header_words);
  return images;
}

std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  constexpr std::size_t header_words = 2;
  check_header(text, header_words, labels_magic, path.string());
  check_length(text, 4 * header_words + word_at(text, 1), path.string());
  return bytes_from(text, 4 * header_words);
}

IdxSet read_mnist_folder(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(folder.string(), "not a folder; give the folder of MNIST's IDX files");
  }
  const auto labels_path = find_file(folder, "train-labels", "idx1-ubyte");
  IdxSet set{read_idx_images(find_file(folder, "train-images", "idx3-ubyte")),
             read_idx_labels(labels_path)};
  if (set.labels.size() != set.images.count) {
    throw InputError(labels_path.string(),
                     fmt::format("{} labels for {} images", set.labels.size(), set.images.count));
  }
  return set;
}

}  // namespace sotto::apps
