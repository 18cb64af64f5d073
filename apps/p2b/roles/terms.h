// What the shuffler, the server and the agents of one P2B deployment agree on before a report is taken: the numbers of
// codes and arms, the probability p of a report and the threshold l. Rewards are 0 to 1. All of it is public. Epsilon
// and delta follow (apps/p2b/privacy.h).
#pragma once

#include <cstdint>
#include <string>

#include "sotto/apps/p2b/tuple.h"

namespace sotto::apps {

struct P2bTerms;
[[nodiscard]] double epsilon_of(const P2bTerms& terms);
[[nodiscard]] double delta_of(const P2bTerms& terms);

struct P2bTerms {
  std::uint32_t codes = 0;
  std::uint32_t arms = 0;
  double p = 0.5;
  std::uint64_t threshold = 10;

  static void describe(auto& self, auto&& field) {
    field("codes", self.codes);
    field("arms", self.arms);
    field("p", self.p);
    field("threshold", self.threshold);
    field.derived("epsilon", epsilon_of(self));
    field.derived("delta", delta_of(self));
  }
  friend bool operator==(const P2bTerms&, const P2bTerms&) = default;
};

// Empty, or what is wrong with them, as a phrase.
[[nodiscard]] std::string fault_of(const P2bTerms& terms);

// What is wrong with a tuple under these terms.
enum class TupleFault : std::uint8_t { none, code, arm, reward };
[[nodiscard]] TupleFault fault_of(const Tuple& tuple, const P2bTerms& terms);

// Empty where both are the same, or the first difference: "64 codes, here 128".
[[nodiscard]] std::string difference(const P2bTerms& theirs, const P2bTerms& ours);

}  // namespace sotto::apps
