#include "sotto/bench/lab/o3m_audit/view.h"

#include <utility>

#include "sotto/apps/o3m/masking.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/core/random/seed.h"
#include "sotto/protocols/summation/zero_shares.h"

namespace sotto::apps {
namespace {

// The seed that two participants share, which here anybody can compute.
Seed pair_seed(const Seed& root, std::size_t low, std::size_t high) {
  return root.derive("pair " + std::to_string(low) + " " + std::to_string(high));
}

protocols::ZeroShares zero_shares(const Seed& root, std::size_t participant, std::size_t participants) {
  std::vector<Seed> lower;
  std::vector<Seed> higher;
  for (std::size_t j = 0; j < participant; ++j) lower.push_back(pair_seed(root, j, participant));
  for (std::size_t j = participant + 1; j < participants; ++j) {
    higher.push_back(pair_seed(root, participant, j));
  }
  return {lower, higher};
}

}  // namespace

MaskedUsers mask_users(const AuditData& data, std::uint64_t seed) {
  const O3mPlan plan = plan_o3m(parameters_of(data));
  const Seed root = Seed::insecure_from_number(seed);
  const std::size_t d = data.dimension();
  MaskedUsers users;
  users.fraction_bits = plan.fraction_bits;
  users.mask = random_orthogonal(d, root.derive("mask"));
  std::vector<std::uint64_t> sum(data.rows * d, 0);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const MaskBlock block = block_of(users.mask, d, data.offset(j), data.columns[j]);
    std::vector<double> masked(data.rows * d);
    mask_contexts(block, data.block(j), masked);
    std::vector<std::uint64_t> words(masked.size());
    to_fixed(masked, plan.fraction_bits, words);
    zero_shares(root, j, data.columns.size()).add_to(words);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
    if (j == 0) {
      users.view.own_block = block;
    } else {
      users.blocks.push_back(std::move(masked));
      users.words.push_back(std::move(words));
    }
  }
  users.view.rows = data.rows;
  users.view.own_contexts = data.block(0);
  users.view.masked.resize(sum.size());
  from_fixed(sum, plan.fraction_bits, users.view.masked);
  return users;
}

std::vector<double> without_own(const ActiveView& view) {
  std::vector<double> rest(view.masked.size());
  mask_contexts(view.own_block, view.own_contexts, rest);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = view.masked[i] - rest[i];
  return rest;
}

}  // namespace sotto::apps
