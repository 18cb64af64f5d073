#include "sotto/bench/lab/o3m_paper/local_masking.h"

#include "sotto/apps/kit/learn/instance.h"
#include "sotto/apps/o3m/masked_contexts.h"
#include "sotto/apps/o3m/masking.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/apps/o3m/test_site.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

O3mParameters parameters_of(std::vector<std::size_t> columns, std::size_t arms, std::uint64_t steps) {
  O3mParameters parameters;
  parameters.steps = steps;
  parameters.arms = arms;
  parameters.bounds.assign(columns.size(), 1);
  parameters.columns = std::move(columns);
  return parameters;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

RC_GTEST_PROP(LocalMasking, KeepsInnerProductsAndHidesTheBasis, ()) {
  const auto columns = *rc::gen::container<std::vector<std::size_t>>(3, rc::gen::inRange<std::size_t>(1, 5));
  const std::size_t d = std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  constexpr std::size_t rows = 4;
  std::vector<double> contexts(rows * d), masked(rows * d);
  LinearInstance({d, rows, 0, seed}).contexts(0, 0, contexts);
  LocalMasking(parameters_of(columns, rows, 1), seed).mask(contexts, masked);
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b < rows; ++b) {
      const double plain = dot(std::span(contexts).subspan(a * d, d), std::span(contexts).subspan(b * d, d));
      const double hidden = dot(std::span(masked).subspan(a * d, d), std::span(masked).subspan(b * d, d));
      RC_ASSERT(std::abs(plain - hidden) < 1e-11);
    }
  }
  RC_ASSERT(contexts != masked);
}

TEST(LocalMasking, GivesBitForBitWhatTheRoundsGive) {
  const O3mParameters parameters = parameters_of({3, 1, 2}, 2, 5);
  const O3mPlan plan = plan_o3m(parameters);
  constexpr std::uint64_t seed = 17;
  const LinearInstance instance({6, 2, 0, seed});
  std::vector<double> contexts(5 * 2 * 6), masked(contexts.size());
  for (std::size_t t = 0; t < 5; ++t) {
    instance.contexts(0, t, std::span(contexts).subspan(t * 12, 12));
  }
  LocalMasking(parameters, seed).mask(contexts, masked);

  Contexts of_participants(3);
  for (std::size_t row = 0; row < 5 * 2; ++row) {
    for (std::size_t p = 0; p < 3; ++p) {
      const auto own = std::span(contexts).subspan(row * 6 + plan.offset(p), parameters.columns[p]);
      of_participants[p].insert(of_participants[p].end(), own.begin(), own.end());
    }
  }
  std::vector<TestSite> sites = sites_of(plan, of_participants, random_orthogonal(6, Seed::insecure_from_number(seed)));
  (void)simulate_masked(plan, sites);
  EXPECT_EQ(sites[0].taken, masked);
}

TEST(LocalMasking, RefusesOtherSizes) {
  LocalMasking masking(parameters_of({1, 2}, 2, 1), 1);
  std::vector<double> four(4), three(3);
  EXPECT_THROW(masking.mask(four, four), std::invalid_argument);
  EXPECT_THROW(masking.mask(three, four), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
