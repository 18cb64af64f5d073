// P2B's encoder: maps a context of the grid (apps/p2b/grid.h) to one of k codes, where k is a power of two, and each
// code to a centroid. The encoder is fitted only on the grid, never on data of users. The encoder is public: equal
// settings give equal encoders.
//
//   kmeans  the code of the nearest centroid, or the smallest code if several centroids are equally near. On small
//           grids, Lloyd's k-means fits the centroids to all points. On grids with more than most_listed points, and on
//           grids whose fit takes too many products, the centroids are fitted to mini-batches of uniform points.
//   lsh     the signs of log2 k random projections of the difference between the context and the grid's centre. The
//           centroid of a code is the mean of the code's grid points, or of the code's points in a uniform sample of a
//           grid with more than most_listed points. The centroid of a code without points is the grid's centre.
//
// An encoder's file is CSV with one centroid a row; row c belongs to code c. The header line begins with '#' and names
// kind, decimals and seed. A file without such a header is read as a list of k-means centroids, of any length, for
// contexts with most_decimals decimals.
//
// encode() first rounds its context to the grid. On grids of up to 2^24 points, prepare_table() stores all codes once,
// and an encoding is then a look-up. Errors: InputError for a file that is no encoder. InputError for settings out of
// range: dimension, decimals, codes that are no power of two, more codes than grid points. A context of another
// dimension causes std::invalid_argument.
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

// Locality-sensitive hashing of the grid. Each bit of a point's code says on which side of a random plane the point
// lies; the plane goes through the grid's centre. A plane's normal vector has whole numbers with an approximately
// normal distribution, so the sides are computed exactly and are the same on every machine.
class Projections {
 public:
  Projections() = default;
  Projections(std::size_t dimension, std::size_t bits, std::uint64_t seed);

  [[nodiscard]] std::uint32_t code(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_ = 0;
  std::size_t bits_ = 0;
  std::vector<std::int64_t> normals_;  // bits x dimension; each normal is multiplied by d, and its entries sum to 0
};

enum class EncoderKind : std::uint8_t { kmeans, lsh };

inline constexpr std::size_t most_codes = std::size_t{1} << 16;
// A fit uses all points of a grid with at most most_listed points, and a random sample of the points of a larger grid.
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

  // Accepts any context of `dimension` features: rounds it to the grid, then encodes it.
  [[nodiscard]] std::uint32_t encode(std::span<const double> context) const;
  [[nodiscard]] std::uint32_t encode_counts(std::span<const std::uint32_t> counts) const;
  [[nodiscard]] std::span<const double> centroid(std::uint32_t code) const;
  // All centroids, codes x dimension.
  [[nodiscard]] std::span<const double> centroids() const noexcept { return centroids_; }
  // A hash of 64 bits that tells encoders apart. The hash is not secret and proves nothing about who made the encoder.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // Stores the code of every grid point, if the grid has at most Grid::most_ranked points. No other thread may encode
  // during this call. The call takes about 1 us for each grid point at 1024 codes.
  void prepare_table();

 private:
  [[nodiscard]] std::uint32_t compute(std::span<const std::uint32_t> counts) const;

  EncoderSettings settings_;
  Grid grid_;
  std::vector<double> centroids_;
  std::optional<NearestCentroid> nearest_;  // only for kmeans
  Projections projections_;                 // lsh
  std::vector<std::uint32_t> table_;        // the code of the grid point of each rank; empty until prepare_table()
};

// Throws InputError for settings out of range.
void check_encoder_settings(const EncoderSettings& settings);

[[nodiscard]] Encoder fit_encoder(const EncoderSettings& settings);

[[nodiscard]] std::string encoder_csv(const Encoder& encoder);
void write_encoder(const std::filesystem::path& path, const Encoder& encoder);
[[nodiscard]] Encoder read_encoder(const std::filesystem::path& path);

[[nodiscard]] std::string encoder_kind_name(EncoderKind kind);
// "kmeans" or "lsh"; `where` names the flag in the InputError.
[[nodiscard]] EncoderKind parse_encoder_kind(const std::string& text, const std::string& where);

}  // namespace sotto::apps::p2b
