// Fits an encoder. On small grids, Lloyd's algorithm runs over the whole grid. Larger grids use mini-batch
// k-means (Sculley 2010).
#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/tasks.h"
#include "apps/p2b/encoder.h"

namespace sotto::apps::p2b {
namespace {

constexpr double most_work = 2e11;  // largest number of products in a fit, half a minute on two cores
constexpr std::size_t least_iterations = 10;
constexpr std::size_t most_iterations = 60;
constexpr double least_gain = 1e-4;
constexpr std::size_t most_spread_seeds = 8192;
constexpr double most_listed_work = 1e10;

// The numbers of random streams. The planes of lsh use the first streams, one for each bit.
constexpr std::uint64_t seeds_stream = 1000;
constexpr std::uint64_t points_stream = 1001;

using Counts = std::vector<std::uint32_t>;  // points x dimension

struct Assigned {
  std::vector<std::uint32_t> code;
  std::vector<double> distance;  // squared distances, in units of the grid
};

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

class Fit {
 public:
  explicit Fit(const EncoderSettings& settings)
      : settings_(settings), grid_(settings.dimension, settings.decimals), d_(settings.dimension), k_(settings.codes) {}

  [[nodiscard]] bool lists_all() const {
    return grid_.ranked() && *grid_.states().exact <= most_listed &&
           grid_.states().value * static_cast<double>(k_ * d_) <= most_listed_work;
  }

  std::vector<double> kmeans() { return lists_all() ? lloyd(grid_.all_counts()) : mini_batches(); }
  std::vector<double> lsh() {
    StepStream points_of(settings_.seed, points_stream);
    const bool all = grid_.ranked() && *grid_.states().exact <= most_listed;
    const Counts points = all ? grid_.all_counts() : sample(std::max<std::size_t>(100'000, 16 * k_), points_of);
    const Projections projections(d_, static_cast<std::size_t>(std::bit_width(k_) - 1), settings_.seed);
    std::vector<std::uint64_t> sums(k_ * d_);
    std::vector<std::uint64_t> sizes(k_);
    for (std::size_t i = 0; i < points.size() / d_; ++i) {
      const std::size_t c = projections.code(point(points, i));
      ++sizes[c];
      for (std::size_t j = 0; j < d_; ++j) sums[c * d_ + j] += points[i * d_ + j];
    }
    std::vector<double> centroids(k_ * d_, 1.0 / static_cast<double>(d_));
    for (std::size_t i = 0; i < k_ * d_; ++i) {
      const std::uint64_t size = sizes[i / d_];
      if (size > 0) {
        centroids[i] = static_cast<double>(sums[i]) / (static_cast<double>(size) * grid_.units());
      }
    }
    return centroids;
  }

 private:
  [[nodiscard]] std::size_t passes(std::size_t points, std::size_t least, std::size_t most) const {
    const double pass = static_cast<double>(points) * static_cast<double>(k_ * d_);
    return std::clamp(static_cast<std::size_t>(std::min(most_work / pass, 1e6)), least, most);
  }
  [[nodiscard]] std::span<const std::uint32_t> point(const Counts& points, std::size_t i) const {
    return std::span(points).subspan(i * d_, d_);
  }
  Counts sample(std::size_t count, StepStream& stream) const {
    Counts points(count * d_);
    for (std::size_t i = 0; i < count; ++i) {
      grid_.draw(stream, std::span(points).subspan(i * d_, d_));
    }
    return points;
  }

  std::vector<double> seeds(const Counts& points, StepStream& stream) const {
    const std::size_t all = points.size() / d_;
    const std::size_t count = std::min(all, std::max<std::size_t>(8192, 8 * k_));
    std::vector<std::size_t> chosen(all);
    for (std::size_t i = 0; i < all; ++i) chosen[i] = i;
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(chosen[i], chosen[i + static_cast<std::size_t>(stream.below(all - i))]);
    }
    std::vector<double> centroids;
    const auto add_centroid = [&](std::size_t i) {
      for (const std::uint32_t n : point(points, i)) centroids.push_back(static_cast<double>(n) / grid_.units());
    };
    if (k_ > most_spread_seeds) {
      for (std::size_t i = 0; i < k_; ++i) add_centroid(chosen[i]);
      return centroids;
    }
    std::vector<std::int64_t> planes(count * d_);  // d x count, so that the compiler vectorises the loop over points
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < d_; ++j) planes[j * count + i] = points[chosen[i] * d_ + j];
    }
    std::vector<std::int64_t> nearest(count, std::numeric_limits<std::int64_t>::max());
    std::vector<std::int64_t> here(count);
    std::size_t next = stream.below(count);
    for (;;) {
      add_centroid(chosen[next]);
      if (centroids.size() == k_ * d_) return centroids;
      std::fill(here.begin(), here.end(), 0);
      for (std::size_t j = 0; j < d_; ++j) {
        const std::int64_t* plane = planes.data() + j * count;
        const std::int64_t at = plane[next];
        for (std::size_t i = 0; i < count; ++i) here[i] += (plane[i] - at) * (plane[i] - at);
      }
      std::uint64_t total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        nearest[i] = std::min(nearest[i], here[i]);
        total += static_cast<std::uint64_t>(nearest[i]);
      }
      // A sample may contain a point several times. If all points are seeds already, any point serves as the next seed.
      if (total == 0) {
        next = stream.below(count);
        continue;
      }
      std::uint64_t left = stream.below(total);
      for (next = 0; left >= static_cast<std::uint64_t>(nearest[next]); ++next) {
        left -= static_cast<std::uint64_t>(nearest[next]);
      }
    }
  }

  Assigned assign(const Counts& points, const std::vector<double>& centroids) const {
    const std::size_t count = points.size() / d_;
    const NearestCentroid nearest(centroids, d_, grid_.units());
    Assigned assigned{std::vector<std::uint32_t>(count), std::vector<double>(count)};
    constexpr std::size_t piece = 4096;
    const std::atomic<bool> never{false};
    run_tasks((count + piece - 1) / piece, core_count(), never, [&](std::size_t p) {
      for (std::size_t i = p * piece; i < std::min(count, (p + 1) * piece); ++i) {
        const auto counts = point(points, i);
        const NearestCentroid::Found found = nearest.find(counts);
        double norm = 0;
        for (const std::uint32_t n : counts) norm += static_cast<double>(n) * n;
        assigned.code[i] = found.code;
        assigned.distance[i] = std::max(0.0, norm / grid_.units() + 2 * found.score);
      }
    });
    return assigned;
  }

  // A cluster without points moves to the point that is farthest from the centroid of its own cluster.
  std::vector<double> means(const Counts& points, Assigned& assigned) const {
    std::vector<std::uint64_t> sums(k_ * d_);
    std::vector<std::uint64_t> sizes(k_);
    for (std::size_t i = 0; i < assigned.code.size(); ++i) {
      const std::size_t c = assigned.code[i];
      ++sizes[c];
      for (std::size_t j = 0; j < d_; ++j) sums[c * d_ + j] += points[i * d_ + j];
    }
    std::vector<double> centroids(k_ * d_);
    for (std::size_t c = 0; c < k_; ++c) {
      if (sizes[c] > 0) {
        const double scale = static_cast<double>(sizes[c]) * grid_.units();
        for (std::size_t j = 0; j < d_; ++j) {
          centroids[c * d_ + j] = static_cast<double>(sums[c * d_ + j]) / scale;
        }
        continue;
      }
      const auto farthest = std::max_element(assigned.distance.begin(), assigned.distance.end());
      const auto i = static_cast<std::size_t>(farthest - assigned.distance.begin());
      for (std::size_t j = 0; j < d_; ++j) {
        centroids[c * d_ + j] = static_cast<double>(points[i * d_ + j]) / grid_.units();
      }
      *farthest = 0;
    }
    return centroids;
  }

  std::vector<double> lloyd(const Counts& points) {
    StepStream stream(settings_.seed, seeds_stream);
    std::vector<double> centroids = seeds(points, stream);
    Assigned assigned = assign(points, centroids);
    const std::size_t most = passes(points.size() / d_, least_iterations, most_iterations);
    for (std::size_t i = 0; i < most; ++i) {
      const double before = total(assigned.distance);
      centroids = means(points, assigned);
      assigned = assign(points, centroids);
      if (total(assigned.distance) >= before * (1 - least_gain)) break;
    }
    return centroids;
  }

  std::vector<double> mini_batches() {
    StepStream stream(settings_.seed, seeds_stream);
    StepStream points_of(settings_.seed, points_stream);
    const std::size_t size = std::clamp<std::size_t>(4 * k_, 4096, 65536);
    const std::size_t batches = passes(size, 4, 100);
    std::vector<double> centroids = seeds(sample(std::max(size, 3 * k_), points_of), stream);
    std::vector<std::uint64_t> sizes(k_);
    for (std::size_t b = 0; b < batches; ++b) {
      const Counts points = sample(size, points_of);
      const Assigned assigned = assign(points, centroids);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t c = assigned.code[i];
        const double rate = 1.0 / static_cast<double>(++sizes[c]);
        for (std::size_t j = 0; j < d_; ++j) {
          double& at = centroids[c * d_ + j];
          at += rate * (static_cast<double>(points[i * d_ + j]) / grid_.units() - at);
        }
      }
    }
    return centroids;
  }

  EncoderSettings settings_;
  Grid grid_;
  std::size_t d_;
  std::size_t k_;
};

}  // namespace

Encoder fit_encoder(const EncoderSettings& settings) {
  check_encoder_settings(settings);
  Fit fit(settings);
  return Encoder(settings, settings.kind == EncoderKind::kmeans ? fit.kmeans() : fit.lsh());
}

}  // namespace sotto::apps::p2b
