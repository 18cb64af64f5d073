// A generated log in Criteo's format: a few kinds of items, whose clicks depend on the user's first two integers, and
// rare items besides.
#pragma once

#include <fmt/format.h>

#include "sotto/apps/kit/data/seeded.h"
#include "tests/apps/support.h"

namespace sotto::apps {

inline std::string criteo_sample(std::size_t rows, std::uint64_t seed, std::size_t kinds = 48) {
  SeededDraws draws(seed);
  std::string text;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint64_t kind = draws.below(4) == 0 ? draws.below(1000) : draws.below(kinds);
    const double interest = draws.unit();
    const double taste = static_cast<double>(kind % 7) / 6;
    const double chance = .05 + .5 * interest * taste;
    text += draws.unit() < chance ? '1' : '0';
    for (int i = 0; i < 13; ++i) {
      text += '\t';
      if (i == 0) {
        text += fmt::format("{}", static_cast<int>(100 * interest));
      } else if (draws.below(8) != 0) {
        text += fmt::format("{}", static_cast<std::int64_t>(draws.below(5000)) - 3);
      }
    }
    SeededDraws item(kind + 1);
    for (int i = 0; i < 26; ++i) {
      text += '\t';
      if (item.below(10) != 0) text += fmt::format("{:08x}", item.below(std::uint64_t{1} << 32));
    }
    text += '\n';
  }
  return text;
}

}  // namespace sotto::apps
