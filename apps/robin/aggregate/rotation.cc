#include "sotto/apps/robin/aggregate/rotation.h"

#include <bit>
#include <cstddef>
#include <stdexcept>

namespace sotto::apps {
namespace {

void check(std::size_t values, std::size_t signs) {
  if (values != signs || !std::has_single_bit(signs)) {
    throw std::invalid_argument("a rotation needs a power of two of numbers, and as many signs");
  }
}

template <class Number>
void multiply_by_hadamard(std::span<Number> values) {
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t block = 0; block < values.size(); block += 2 * width) {
      for (std::size_t i = block; i < block + width; ++i) {
        const Number sum = values[i] + values[i + width];
        values[i + width] = values[i] - values[i + width];
        values[i] = sum;
      }
    }
  }
}

}  // namespace

std::vector<int> draw_signs(Coins& coins, std::size_t padded) {
  std::vector<int> signs(padded);
  for (int& sign : signs) sign = (coins.next() & 1) != 0 ? 1 : -1;
  return signs;
}

void rotate(std::span<std::int64_t> values, std::span<const int> signs) {
  check(values.size(), signs.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= signs[i];
  multiply_by_hadamard(values);
}

void rotate_back(std::span<double> values, std::span<const int> signs) {
  check(values.size(), signs.size());
  multiply_by_hadamard(values);
  const double scale = 1 / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= signs[i] * scale;
}

}  // namespace sotto::apps
