// Inputs and checks that the programs of primitives_programs.h share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/masked.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"

namespace sotto::apps {

inline constexpr unsigned measured_fraction_bits = 20;
inline constexpr std::size_t checked_lanes = 8;

// Masked word(i) in lane i.
template <class Word>
[[nodiscard]] Task<Masked> masked_pattern(Party& party, Shape shape, unsigned scale, Word word) {
  const auto fill = [&](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i);
  };
  protocols::Input input = protocols::input_at(party, 0, shape, scale, fill);
  co_return co_await protocols::share_input(party, 0, std::move(input), "input");
}

// The first lanes of a value as one row.
[[nodiscard]] inline Arith first_lanes(const Arith& value, std::size_t count) {
  count = std::min(count, value.lanes());
  Words words = ShareAccess::words(value);
  if (!words.empty()) words.resize(count);
  return Arith(Shape{1, count}, value.scale(), std::move(words), value.bits());
}

// The largest |opened - expected(i)| over the first lanes; words are read as signed numbers.
template <class Expected>
[[nodiscard]] Task<double> error_of(Party& party, Arith value, std::size_t lanes,
                                    Expected expected) {
  const unsigned unused = 64 - value.bits();
  const Public opened = co_await protocols::open(party, first_lanes(value, lanes), "check");
  double largest = 0;
  opened.if_known([&](const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto got = static_cast<double>(to_signed(words[i] << unused) >> unused);
      largest = std::max(largest, std::abs(got - expected(i)));
    }
  });
  co_return largest;
}

}  // namespace sotto::apps
