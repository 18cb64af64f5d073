// Raw data as a sequence of rows, so that the methods that go over it (apps/kit/data/pca.h) need not know where it lies
// and need not hold all of it as doubles: 60,000 images are 47 MB of pixels and 376 MB of doubles.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace sotto::apps {

struct RowSource {
  std::size_t rows = 0;
  std::size_t columns = 0;
  // Writes row r (from 0) to `out`, which has `columns` places.
  std::function<void(std::size_t r, std::span<double> out)> read;
};

}  // namespace sotto::apps
