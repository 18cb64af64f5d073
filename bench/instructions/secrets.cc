#include "apps/bandit/model/bandit_plan.h"
#include "bench/instructions/work.h"

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::instructions {
namespace {

using namespace protocols;

constexpr unsigned fraction_bits = 20;

// The words are made before the count begins, because the owner's work of encoding must not be counted.
struct Secret {
  double size;
  double centre;
  Words words{};
};
constexpr std::size_t most_lanes = 128;
std::array<Secret, 5> secrets{{{1000, 0}, {3, 0}, {-1, 0}, {.5, 1.5}, {.3, 0}}};
const Secret& large = secrets[0];
const Secret& small = secrets[1];
const Secret& opposite = secrets[2];
const Secret& divisors = secrets[3];
const Secret& features = secrets[4];

// Secret number 0 sets all values to the centre. Secret number 1 sets ordinary values, at most `size` from the centre.
// Secret number 2 sets the values centre - size and centre + size.
void prepare(unsigned number) {
  for (Secret& secret : secrets) {
    secret.words.resize(most_lanes);
    for (std::size_t i = 0; i < most_lanes; ++i) {
      const double sine = std::sin(1.0 + 3.0 * static_cast<double>(i));
      const double end = i % 3 == 0 ? -1 : 1;
      const double part = number == 0 ? 0 : number == 1 ? sine : end;
      secret.words[i] = encode(secret.centre + part * secret.size, fraction_bits);
    }
  }
}

Task<Masked> numbers(Party& party, const Secret& secret, std::size_t lanes) {
  const auto fill = [&](std::span<std::uint64_t> words) {
    std::copy_n(secret.words.begin(), words.size(), words.begin());
  };
  Input input = input_at(party, 0, Shape{1, lanes}, fraction_bits, fill);
  co_return co_await share_input(party, 0, std::move(input), "numbers");
}

Task<Unit> opens(Party& party) {
  const Masked x = co_await numbers(party, large, 40);
  (void)co_await open(party, x.shares(party), "to all");
  (void)co_await open_to(party, party.topology().outside_node(), x.shares(party), "to one");
  co_return Unit{};
}

Task<Unit> products(Party& party) {
  const Masked x = co_await numbers(party, large, 40);
  const Masked y = co_await mask_trunc(party, elementwise(party, x, x), fraction_bits, "square");
  PendingProduct cube = pending_product<Elementwise>(party, x, y);
  (void)co_await mask_trunc(party, std::move(cube), fraction_bits, "cube");
  const Arith shares = x.shares(party);
  (void)co_await multiply(party, shares, shares, "product");
  (void)co_await multiply_with_triples(party, shares, shares, "triples");
  co_return Unit{};
}

Task<Unit> comparisons(Party& party) {
  const Masked x = co_await numbers(party, small, 40);
  const Masked y = co_await numbers(party, opposite, 40);
  (void)co_await less_than(party, x, y, 24, "look-ups");
  (void)co_await less_than_by_circuit(party, x.shares(party), y.shares(party), "circuit");
  co_return Unit{};
}

Task<Unit> table_lookups(Party& party) {
  const Masked x = co_await numbers(party, small, 40);
  const MaskedIndex index = co_await mask_index(party, x.shares(party).in_ring(6), "index");
  const Arith squares = table_lookup(party, index, 64, [](std::size_t, std::uint64_t value) { return value * value; });
  (void)co_await mask(party, squares, "squares");
  co_return Unit{};
}

Task<Unit> best_of(Party& party, std::size_t arms) {
  const Masked scores = co_await numbers(party, small, arms);
  const ArgmaxOptions options{4, 24, Exploration{std::uint64_t{1} << 62, false}};
  const Arith one_hot = co_await argmax(party, scores, options);
  (void)co_await open_to(party, party.topology().outside_node(), one_hot.in_ring(8), "arm");
  co_return Unit{};
}
Task<Unit> best_of_ten(Party& party) { return best_of(party, 10); }
Task<Unit> best_of_seventy(Party& party) { return best_of(party, 70); }

Task<Unit> best_of_each(Party& party) {
  Masked scores = (co_await numbers(party, small, 60)).reshaped(Shape{6, 10});
  AllowedArms allowed(60, 1);
  for (std::size_t e = 0; e < 6; ++e) allowed[11 * e] = 0;
  const ArgmaxOptions options{4, 24, Exploration{std::uint64_t{1} << 62, false}};
  const Arith one_hots = co_await choose(party, std::move(scores), std::move(allowed), options);
  (void)co_await open_to(party, party.topology().outside_node(), one_hots, "arms");
  co_return Unit{};
}

Task<Unit> reciprocals(Party& party) {
  const Masked d = co_await numbers(party, divisors, 20);
  const Masked column = d.reshaped(Shape{20, 1});
  (void)co_await divide(party, column, column, plan_reciprocal(2, std::ldexp(1.0, -14)));
  (void)co_await published_reciprocal(party, d);
  (void)co_await protocols::exp(party, d);
  co_return Unit{};
}

Task<Unit> conversions(Party& party) {
  const Masked x = co_await numbers(party, large, 40);
  const Bool bits = co_await arith_to_bool(party, x.shares(party), "bits");
  (void)co_await bool_to_arith(party, bits, 64, "words");
  (void)co_await open_bool(party, bits, "to all");
  co_return Unit{};
}

class Site final : public apps::bandit::SiteOf<apps::bandit::Contexts, apps::bandit::Arms, apps::bandit::Rewards> {
 public:
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const auto from = features.words.begin() + static_cast<std::ptrdiff_t>(7 * step + 3 * party);
    std::copy_n(from, out.size(), out.begin());
  }
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t step) override { return features.words[step] & 1; }
};

apps::bandit::BanditParameters bandit_parameters(std::uint64_t steps) {
  apps::bandit::BanditParameters parameters;
  parameters.columns = {3, 3, 2};
  parameters.arms = 5;
  parameters.steps = steps;
  parameters.exploration.threshold = std::uint64_t{1} << 62;
  parameters.reveal_model = true;
  return parameters;
}

Task<Unit> bandit(Party& party) {
  const apps::bandit::BanditPlan plan = apps::bandit::plan_bandit(bandit_parameters(6));
  Site site;
  (void)co_await apps::bandit::private_bandit(party, plan, site);
  co_return Unit{};
}

Task<Unit> batches(Party& party) {
  apps::bandit::BanditParameters parameters = bandit_parameters(12);
  parameters.batch = 4;
  parameters.reward_lag = 4;
  const apps::bandit::BanditPlan plan = apps::bandit::plan_bandit(parameters);
  Site site;
  (void)co_await apps::bandit::private_bandit(party, plan, site);
  co_return Unit{};
}

Task<Unit> lessons(Party& party) {
  constexpr std::size_t events = 6;
  const apps::bandit::BatchPlan plan = apps::bandit::plan_batches(bandit_parameters(2 * events), events, true);
  apps::bandit::BatchModel model = apps::bandit::initial_batch_model(party, plan);
  for (std::size_t batch = 0; batch < 2; ++batch) {
    apps::bandit::TrainingEvents given{events, {}, {}, {}, {}};
    given.contexts = [](std::size_t owner, std::span<std::uint64_t> out) {
      std::copy_n(features.words.begin() + static_cast<std::ptrdiff_t>(3 * owner), out.size(), out.begin());
    };
    given.arms = [](std::span<std::uint64_t> out) {
      std::fill(out.begin(), out.end(), 0);
      for (std::size_t e = 0; e < events; ++e) out[5 * e + features.words[e] % 5] = features.words[e + 1] >> 1 & 1;
    };
    given.rewards = [](std::span<std::uint64_t> out) {
      for (std::size_t e = 0; e < events; ++e) out[e] = features.words[e] & features.words[e + 2] & 1;
    };
    given.learned = [](std::span<std::uint64_t> out) {
      for (std::size_t e = 0; e < events; ++e) out[e] = features.words[e] & 1;
    };
    model = co_await apps::bandit::learn(party, plan, std::move(model), std::move(given));
  }
  co_return Unit{};
}

// A control that branches on a secret: party 0 does some work only for negative numbers.
Task<Unit> branch(Party& party) {
  const Masked x = co_await numbers(party, large, 40);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; party.is(0) && i < 40; ++i) {
    if (large.words[i] >> 63 == 0) continue;
    for (std::size_t j = 0; j < 40; ++j) sum += ShareAccess::words(x)[j] >> (sum & 7);
  }
  if (sum == 1) throw std::logic_error("no compiler drops the work, as it could come to this");
  co_return Unit{};
}

struct Subject {
  const char* name;
  std::size_t parties;
  Task<Unit> (*program)(Party&);
};

const std::array<Subject, 14> subjects{{
    {"open and open_to", 3, opens},
    {"products", 3, products},
    {"comparisons", 3, comparisons},
    {"look-ups", 3, table_lookups},
    {"argmax of 10", 3, best_of_ten},
    {"argmax of 70", 2, best_of_seventy},
    {"reciprocals and exp", 3, reciprocals},
    {"conversions", 3, conversions},
    {"choose", 3, best_of_each},
    {"bandit steps", 3, bandit},
    {"bandit in batches", 3, batches},
    {"lessons, some left out", 3, lessons},
    {"control: a branch on a secret", 2, branch},
    {"control: a branch on a secret, 3 parties", 3, branch},
}};

void count(const Subject& subject) {
  const Topology topology(subject.parties);
  SimulationOptions options;
  options.insecure_seed = 1;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t, bool) {
    if (role && topology.is_party(*role)) CALLGRIND_TOGGLE_COLLECT;
  };
  CALLGRIND_ZERO_STATS;
  (void)simulate(
      topology, [&](Party& party) { return subject.program(party); }, std::move(options));
  CALLGRIND_DUMP_STATS_AT(subject.name);
}

}  // namespace

void count_with_secret(unsigned number) {
  if (!RUNNING_ON_VALGRIND) {
    throw std::runtime_error("instructions are counted under valgrind: check_secrets.cmake");
  }
  if (number >= 3) throw std::runtime_error("there is no such secret");
  prepare(number);
  for (const Subject& subject : subjects) count(subject);
}

}  // namespace sotto::instructions
