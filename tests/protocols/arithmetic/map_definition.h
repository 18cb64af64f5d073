// The kernels of a bilinear map beside its definition, for_each.
#pragma once

#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/sharing/shape.h"
#include "tests/framework.h"

namespace sotto::protocols {

using Lanes = std::vector<std::uint64_t>;

inline constexpr std::uint64_t guard = 0xabcdabcdabcdabcd;

inline Lanes random_lanes(std::size_t count, std::uint64_t seed) {
  Lanes lanes(count);
  Prg(Seed::insecure_from_number(seed)).fill(lanes, 64);
  lanes.push_back(guard);
  return lanes;
}

// What for_each says against what the kernels do.
template <class Map>
void expect_one_map(Shape left, Shape right) {
  SCOPED_TRACE(to_string(left) + " and " + to_string(right));
  const Map map(left, right);
  const Lanes x = random_lanes(left.lanes(), 1);
  const Lanes y = random_lanes(right.lanes(), 2);
  const Lanes pairs = random_lanes(map.pairs(), 3);
  const Lanes before = random_lanes(map.out.lanes(), 4);

  Lanes sum = before;
  Lanes by_left(map.out.lanes(), 0);
  by_left.push_back(guard);
  Lanes by_right = by_left;
  Lanes products = random_lanes(map.pairs(), 5);
  std::size_t pair = 0;
  map.for_each([&](std::size_t o, std::size_t i, std::size_t j) {
    sum.at(o) += x.at(i) * y.at(j);
    by_left.at(o) += x[i] * pairs.at(pair);
    by_right.at(o) += y[j] * pairs[pair];
    products.at(pair++) = x[i] * y[j];
  });
  ASSERT_EQ(pair, map.pairs());

  Lanes measured = before;
  map.add_product(measured.data(), x.data(), y.data());
  EXPECT_EQ(measured, sum);
  measured = before;
  map.left_pairs(measured.data(), x.data(), pairs.data());
  EXPECT_EQ(measured, by_left);
  measured = before;
  map.right_pairs(measured.data(), y.data(), pairs.data());
  EXPECT_EQ(measured, by_right);
  measured = random_lanes(map.pairs(), 6);
  map.pair_products(measured.data(), x.data(), y.data());
  EXPECT_EQ(measured, products);
}

}  // namespace sotto::protocols
