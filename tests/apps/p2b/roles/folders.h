// What the tests of P2B's roles share: a folder, reports, and multisets of tuples.
#pragma once

#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/p2b/roles/messages.h"
#include "tests/framework.h"

namespace sotto::apps {

inline P2bTerms small_terms(std::uint64_t threshold = 1) {
  P2bTerms terms;
  terms.codes = 8;
  terms.arms = 3;
  terms.threshold = threshold;
  return terms;
}

inline Report report_of(int user, Tuple tuple, std::uint64_t nonce = 1) {
  return {user_token("user " + std::to_string(user)), nonce, tuple};
}

using Multiset = std::map<std::tuple<std::uint32_t, std::uint32_t, double>, std::uint64_t>;

inline void add_to(Multiset& counts, std::span<const Tuple> tuples) {
  for (const Tuple& t : tuples) ++counts[{t.code, t.arm, t.reward}];
}

inline Multiset multiset_of(const std::vector<Report>& reports) {
  Multiset counts;
  for (const Report& report : reports) add_to(counts, std::span(&report.tuple, 1));
  return counts;
}
inline Multiset multiset_of(std::span<const Tuple> tuples) {
  Multiset counts;
  add_to(counts, tuples);
  return counts;
}

}  // namespace sotto::apps
