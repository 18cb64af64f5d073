#include "apps/prepare/data/raw_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/data/environment.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::uint32_t images_magic = 0x00000803;
constexpr std::uint32_t labels_magic = 0x00000801;
// The limit keeps count x height x width far below 2^64.
constexpr std::size_t largest_side = 4096;
// in bytes
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

std::size_t word_at(std::string_view text, std::size_t index) {
  std::size_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word = word << 8 | static_cast<std::uint8_t>(text[4 * index + i]);
  }
  return word;
}

std::string read_bytes(InputFile& file, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string bytes;
  for (std::size_t done = 0;;) {
    bytes.resize(std::min(size, done + piece));
    const std::size_t got = done == size ? 0 : file.read(bytes.data() + done, bytes.size() - done);
    done += got;
    if (got > 0) continue;
    bytes.resize(done);
    return bytes;
  }
}

std::string read_header(InputFile& file, std::size_t words, std::uint32_t magic) {
  std::string text = read_bytes(file, 4 * words);
  if (text.starts_with("\x1f\x8b")) {
    throw InputError(file.name(), "the file is compressed; unpack it with gunzip first");
  }
  if (text.size() < 4 * words) {
    throw InputError(file.name(),
                     fmt::format("{} in all, too short for the header of an IDX file", counted(text.size(), "byte")));
  }
  if (word_at(text, 0) != magic) {
    throw InputError(file.name(), fmt::format("the file begins with {:08x}, but IDX {} begin with {:08x}",
                                              word_at(text, 0), magic == images_magic ? "images" : "labels", magic));
  }
  if (word_at(text, 1) == 0) throw InputError(file.name(), "the file holds nothing: its count is 0");
  return text;
}

std::vector<std::uint8_t> read_rest(InputFile& file, std::size_t header, std::size_t expected) {
  const std::string bytes = read_bytes(file, expected + 1);
  if (bytes.size() < expected) {
    throw InputError(file.name(), fmt::format("the file has {}, but its header says {}; it was cut short",
                                              counted(header + bytes.size(), "byte"), header + expected));
  }
  if (bytes.size() > expected) {
    throw InputError(
        file.name(),
        fmt::format("the file has more bytes than the {} that its header says; it was added to", header + expected));
  }
  return {bytes.begin(), bytes.end()};
}

std::filesystem::path find_file(const std::filesystem::path& folder, std::string_view name, std::string_view kind) {
  for (const char separator : {'-', '.'}) {
    auto path = folder / fmt::format("{}{}{}", name, separator, kind);
    if (file_exists(path)) return path;
  }
  const std::string wanted = fmt::format("{}-{}", name, kind);
  if (file_exists(folder / (wanted + ".gz"))) {
    throw InputError((folder / (wanted + ".gz")).string(), "the file is compressed; unpack it with gunzip first");
  }
  throw InputError(
      folder.string(),
      fmt::format("no file {} here; give the folder of MNIST's IDX files (scripts/get-mnist brings them)", wanted));
}

}  // namespace

RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column) {
  const auto table = std::make_shared<const Table>(read_csv(path));
  RawData data;
  data.columns = table->columns;
  std::size_t label = table->columns.size();
  if (label_column) {
    label = table->column(*label_column, "--label-column names it");
    data.columns.erase(data.columns.begin() + static_cast<std::ptrdiff_t>(label));
    for (std::size_t r = 0; r < table->rows; ++r) {
      data.labels.push_back(read_label(*table, r, label));
    }
  }
  if (data.columns.empty()) {
    throw InputError(table->file + ":1", "there is no feature column other than the label");
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
  for (const auto& folder : {executable.parent_path() / SOTTO_SHARE_PATH, std::filesystem::path(SOTTO_DATA_DIR)}) {
    const auto path = folder / "digits.csv";
    if (std::filesystem::exists(path, ignored)) return path.lexically_normal();
  }
  throw InputError(
      "the digits that come with sotto are not where it was installed; name the file digits.csv with --input");
}

IdxImages read_idx_images(const std::filesystem::path& path) {
  InputFile file(path, most_bytes);
  constexpr std::size_t header_words = 4;
  const std::string header = read_header(file, header_words, images_magic);
  IdxImages images{word_at(header, 1), word_at(header, 2), word_at(header, 3), {}};
  for (const std::size_t side : {images.height, images.width}) {
    if (side == 0 || side > largest_side) {
      throw InputError(file.name(), fmt::format("images of {} x {} pixels; 1 to {} are possible a side", images.height,
                                                images.width, largest_side));
    }
  }
  images.pixels = read_rest(file, header.size(), images.count * images.height * images.width);
  return images;
}

std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path) {
  InputFile file(path, most_bytes);
  const std::string header = read_header(file, 2, labels_magic);
  return read_rest(file, header.size(), word_at(header, 1));
}

IdxSet read_mnist_folder(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(folder.string(), "not a folder; give the folder of MNIST's IDX files");
  }
  const auto labels_path = find_file(folder, "train-labels", "idx1-ubyte");
  IdxSet set{read_idx_images(find_file(folder, "train-images", "idx3-ubyte")), read_idx_labels(labels_path)};
  if (set.labels.size() != set.images.count) {
    throw InputError(labels_path.string(),
                     fmt::format("{} for {}", counted(set.labels.size(), "label"), counted(set.images.count, "image")));
  }
  return set;
}

}  // namespace sotto::apps::prepare
