// Where all randomness of differential privacy comes from: words of the project's generator (AES-128 in counter mode,
// include/sotto/protocol/random/prg.h) that is keyed from the operating system.
//
// Whoever can predict the coins can subtract the noise, so coins of an insecure seed protect nothing; they are for
// tests and for runs that must be repeatable, and what such a run writes says so. Coins are moved, not copied: two
// copies would add the same noise twice, and it would cancel. Used from one thread at a time. Errors: those of Seed and
// Prg.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

class Coins {
 public:
  [[nodiscard]] static Coins from_os() { return Coins(Seed::from_os()); }
  // Equal seeds give equal coins, on any machine.
  [[nodiscard]] static Coins insecure(std::uint64_t seed) {
    return Coins(Seed::insecure_from_number(seed).derive("coins of differential privacy"));
  }

  // Of the seed where there is one, else of the operating system.
  [[nodiscard]] static Coins of(const std::optional<std::uint64_t>& insecure_seed) {
    return insecure_seed ? insecure(*insecure_seed) : from_os();
  }

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next() { return words_.next(); }
  // Uniform in [0, n), n >= 1: exactly so, by rejection.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return words_.below(n); }

 private:
  explicit Coins(const Seed& seed) : words_(seed) {}

  Prg words_;
};

}  // namespace sotto::apps
