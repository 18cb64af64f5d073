// P2B's encoder maps a context of the grid (apps/p2b/grid.h) to one of k codes, where k is a power of two, and each
// code to a centroid. The encoder is fitted only on the grid, never on data of users. The encoder is public: equal
// settings produce equal encoders.
//
//   kmeans  the code of the nearest centroid, or the smallest code if several centroids are equally near
//   lsh     the signs of the inner products of log2 k random vectors with the context minus the grid's centre. A code's
//           centroid is the mean of its grid points, or the grid's centre if the code has no points. On a grid with
//           more than most_listed points, this mean is computed from a uniform sample of points.
//
// The file of an encoder is CSV with one centroid per row; row c belongs to code c. A file without a header line that
// begins with '#' is read as a list of k-means centroids, for contexts with most_decimals decimals.
//
// InputError: the file is not an encoder, or settings are out of range, such as a number of codes that is no power of
// two or larger than the number of grid points. std::invalid_argument: a context has another dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/p2b/grid.h"
#include "apps/p2b/nearest.h"

namespace sotto::apps::p2b {

// The random planes of lsh, which go through the grid's centre. Each bit of a point's code says on which side of one
// plane the point lies. A plane's normal vector has whole numbers, so the sides are the same on every machine.
class Projections {
 public:
  Projections() = default;
  Projections(std::size_t dimension, std::size_t bits, std::uint64_t seed);

  [[nodiscard]] std::uint32_t code(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_ = 0;
  std::size_t bits_ = 0;
  std::vector<std::int64_t> normals_;  // bits x dimension; the entries of each normal sum to 0
};

enum class EncoderKind : std::uint8_t { kmeans, lsh };

inline constexpr std::size_t most_codes = std::size_t{1} << 16;
// A fit uses all points of a grid with at most this number of points, and a random sample of a larger grid.
inline constexpr std::uint64_t most_listed = 1'000'000;

struct EncoderSettings {
  std::size_t dimension = 10;
  unsigned decimals = 1;
  std::size_t codes = 1024;
  EncoderKind kind = EncoderKind::kmeans;
  std::uint64_t seed = 1;  // public
};

class Encoder {
 public:
  // `centroids` is row-major, codes x dimension.
  Encoder(const EncoderSettings& settings, std::vector<double> centroids);

  [[nodiscard]] const EncoderSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::size_t codes() const noexcept { return settings_.codes; }
  [[nodiscard]] std::size_t dimension() const noexcept { return settings_.dimension; }
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }

  [[nodiscard]] std::uint32_t encode(std::span<const double> context) const;
  [[nodiscard]] std::uint32_t encode_counts(std::span<const std::uint32_t> counts) const;
  [[nodiscard]] std::span<const double> centroid(std::uint32_t code) const;
  // Returns codes x dimension numbers.
  [[nodiscard]] std::span<const double> centroids() const noexcept { return centroids_; }
  // Returns a hash of 64 bits that distinguishes encoders. The hash is not secret and proves nothing about who made the
  // encoder.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // Stores the code of every grid point, if the grid has at most Grid::most_ranked points. No other thread may encode
  // during this call.
  void prepare_table();

 private:
  [[nodiscard]] std::uint32_t compute(std::span<const std::uint32_t> counts) const;

  EncoderSettings settings_;
  Grid grid_;
  std::vector<double> centroids_;
  std::optional<NearestCentroid> nearest_;
  Projections projections_;
  std::vector<std::uint32_t> table_;
};

void check_encoder_settings(const EncoderSettings& settings);

[[nodiscard]] Encoder fit_encoder(const EncoderSettings& settings);

[[nodiscard]] std::string encoder_csv(const Encoder& encoder);
void write_encoder(const std::filesystem::path& path, const Encoder& encoder);
[[nodiscard]] Encoder read_encoder(const std::filesystem::path& path);

[[nodiscard]] std::string encoder_kind_name(EncoderKind kind);
[[nodiscard]] EncoderKind parse_encoder_kind(const std::string& text, const std::string& where);

}  // namespace sotto::apps::p2b
