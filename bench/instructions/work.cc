#include "bench/instructions/work.h"

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/result/link_model.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::instructions {
namespace {

using namespace protocols;

struct Work {
  std::string name;
  Topology topology;
  bool by_role;
  std::uint64_t repetitions;
  std::uint64_t first_rounds;
  std::uint64_t rounds;
  std::function<void(std::uint64_t repetitions, SimulationOptions)> run;
};

template <class Program>
Work make_work(std::string name, Topology topology, std::uint64_t repetitions, Program program) {
  const auto rounds = [&](std::uint64_t often) {
    return plan(topology, [&](Party& party) { return program(party, often); }).total().rounds;
  };
  const std::uint64_t once = rounds(1);
  const std::uint64_t each = rounds(2) - once;
  const auto run = [topology, program](std::uint64_t often, SimulationOptions options) {
    (void)simulate(
        topology, [&](Party& party) { return program(party, often); }, std::move(options));
  };
  return Work{std::move(name), topology, false, repetitions, once - each, each, run};
}

constexpr std::size_t features = 20;
constexpr std::uint64_t steps = 4;

class Site final : public apps::bandit::SiteOf<apps::bandit::Contexts, apps::bandit::Arms, apps::bandit::Rewards> {
 public:
  explicit Site(std::size_t arms) : arms_(arms) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const double size = 0.9 / std::sqrt(static_cast<double>(features));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = encode(((step + party + i) % 3 == 0 ? -1 : 1) * size, 20);
    }
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return arm_ == step % arms_ ? 1 : 0; }

 private:
  std::size_t arms_;
  std::size_t arm_ = 0;
};

constexpr std::uint64_t planned_steps = 60'000;

apps::bandit::BanditPlan plan_of(std::size_t parties, std::size_t arms, std::uint64_t repetitions) {
  apps::bandit::BanditParameters parameters;
  parameters.columns = apps::bandit::run::even_columns(parties, features);
  parameters.arms = arms;
  parameters.steps = planned_steps;
  parameters.exploration.threshold = (std::uint64_t{1} << 63) / 5;
  apps::bandit::BanditPlan plan = apps::bandit::plan_bandit(parameters);
  plan.parameters.steps = repetitions;
  return plan;
}

Task<apps::bandit::BanditModel> bandit_steps(Party& party, std::size_t arms, std::uint64_t repetitions) {
  const apps::bandit::BanditPlan plan = plan_of(party.topology().parties(), arms, repetitions);
  Site site(arms);
  co_return co_await apps::bandit::private_bandit(party, plan, site);
}

std::vector<Work> bandit_work() {
  std::vector<Work> all;
  for (const std::size_t arms : {10u, 40u}) {
    for (const std::size_t parties : {2u, 3u, 8u}) {
      Work work = make_work(fmt::format("bandit step, {} arms, {} parties", arms, parties), Topology(parties), steps,
                            [=](Party& party, std::uint64_t often) { return bandit_steps(party, arms, often); });
      work.by_role = true;
      all.push_back(std::move(work));
    }
  }
  return all;
}

constexpr std::size_t batch = 64;

apps::bandit::BatchPlan batch_plan_of(const Party& party) {
  return apps::bandit::plan_batches(plan_of(party.topology().parties(), 10, planned_steps).parameters, batch);
}

apps::bandit::FillContexts batch_contexts() {
  return [](std::size_t party, std::span<std::uint64_t> out) {
    const std::size_t columns = out.size() / batch;
    Site site(1);
    for (std::size_t e = 0; e < batch; ++e) site.context(party, e, out.subspan(e * columns, columns));
  };
}

Task<Unit> decide_often(Party& party, std::uint64_t often) {
  const apps::bandit::BatchPlan plan = batch_plan_of(party);
  const apps::bandit::BatchModel model = apps::bandit::initial_batch_model(party, plan);
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await apps::bandit::decide(party, plan, model.weights, batch, batch_contexts());
  }
  co_return Unit{};
}

Task<Unit> learn_often(Party& party, std::uint64_t often) {
  const apps::bandit::BatchPlan plan = batch_plan_of(party);
  apps::bandit::BatchModel model = apps::bandit::initial_batch_model(party, plan);
  for (std::uint64_t i = 0; i < often; ++i) {
    apps::bandit::TrainingEvents lessons{batch, batch_contexts(), {}, {}, {}};
    lessons.arms = [](std::span<std::uint64_t> out) {
      for (std::size_t e = 0; e < batch; ++e) {
        for (std::size_t arm = 0; arm < 10; ++arm) out[e * 10 + arm] = arm == e % 10 ? 1 : 0;
      }
    };
    lessons.rewards = [](std::span<std::uint64_t> out) {
      for (std::size_t e = 0; e < batch; ++e) out[e] = e % 2;
    };
    model = co_await apps::bandit::learn(party, plan, std::move(model), std::move(lessons));
  }
  co_return Unit{};
}

void hash_openings(Party& party) {
  if (party.holds_shares()) party.rounds().hash_openings();
}

std::vector<Work> batch_work() {
  std::vector<Work> all;
  const auto add = [&](const char* what, Task<Unit> (*often)(Party&, std::uint64_t)) {
    const auto add_of = [&](std::size_t parties, const char* how, auto program) {
      all.push_back(make_work(fmt::format("{}, {} events, 10 arms, {} parties{}", what, batch, parties, how),
                              Topology(parties), 2, program));
      all.back().by_role = true;
    };
    add_of(2, "", often);
    add_of(3, "", often);
    add_of(3, ", openings checked", [often](Party& party, std::uint64_t times) {
      hash_openings(party);
      return often(party, times);
    });
  };
  add("decide", decide_often);
  add("learn", learn_often);
  return all;
}

// The programs of bench/lab/measure/primitives_programs.cc cannot be used here: they copy their inputs before each
// repetition, and the copies would be counted.
constexpr unsigned fraction_bits = 20;

Task<Masked> numbers(Party& party, Shape shape, double centre = 0) {
  const auto fill = [centre](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = encode(centre - 0.5 + 0.001 * static_cast<double>(i % 1000), fraction_bits);
    }
  };
  Input input = input_at(party, 0, shape, fraction_bits, fill);
  co_return co_await share_input(party, 0, std::move(input), "numbers");
}

Task<Unit> multiply_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith shares = x.shares(party);
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await multiply(party, shares, shares, "product");
  }
  co_return Unit{};
}

Task<Unit> truncate_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith product = elementwise(party, x, x);
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await mask_trunc(party, product, fraction_bits, "truncation");
  }
  co_return Unit{};
}

Task<Unit> compare_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Masked y = co_await numbers(party, Shape{1, lanes});
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await less_than(party, x, y, 24, "comparison");
  }
  co_return Unit{};
}

Task<Unit> argmax_often(Party& party, std::size_t arms, std::uint64_t often) {
  const Masked scores = co_await numbers(party, Shape{1, arms});
  const ArgmaxOptions options{0, 24, {}};
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await argmax(party, scores, options);
  co_return Unit{};
}

Task<Unit> choose_often(Party& party, std::size_t events, std::uint64_t often) {
  const Masked scores = co_await numbers(party, Shape{events, 10});
  AllowedArms allowed(scores.lanes(), 1);
  for (std::size_t e = 0; e < events; ++e) allowed[e * 10 + e % 10] = 0;
  const ArgmaxOptions options{0, 24, {}};
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await choose(party, scores, allowed, options);
  co_return Unit{};
}

Task<Unit> divide_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked divisor = co_await numbers(party, Shape{lanes, 1}, 1.5);
  const ReciprocalPlan plan = plan_reciprocal(2, std::ldexp(1.0, -14));
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await divide(party, divisor, divisor, plan);
  co_return Unit{};
}

Task<Unit> exp_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await protocols::exp(party, x);
  co_return Unit{};
}

Task<Unit> to_bool_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith shares = x.shares(party);
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await arith_to_bool(party, shares, "bits");
  co_return Unit{};
}

Task<Unit> to_arith_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Bool bits = co_await arith_to_bool(party, x.shares(party), "bits");
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await bool_to_arith(party, bits, 64, "words");
  }
  co_return Unit{};
}

// The product is truncated, because a product by itself sends nothing.
Task<Unit> matmul_often(Party& party, std::size_t size, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{size, size});
  for (std::uint64_t i = 0; i < often; ++i) {
    Arith product = matmul(party, x, x);
    (void)co_await mask_trunc(party, std::move(product), fraction_bits, "matrix product");
  }
  co_return Unit{};
}

using Often = Task<Unit> (*)(Party&, std::size_t, std::uint64_t);

struct Primitive {
  const char* name;
  Often often;
  std::vector<std::size_t> sizes;
};

const Primitive primitives[] = {
    {"multiply, {} lanes", multiply_often, {1, 1000}},
    {"mask_trunc, {} lanes", truncate_often, {1, 1000}},
    {"less_than, {} lanes", compare_often, {1, 1000}},
    {"argmax, {} arms", argmax_often, {10, 1000}},
    {"choose, {} events of 10 arms", choose_often, {1, 64}},
    {"divide, {} lanes", divide_often, {1, 1000}},
    {"exp, {} lanes", exp_often, {1, 1000}},
    {"arith_to_bool, {} lanes", to_bool_often, {1, 1000}},
    {"bool_to_arith, {} lanes", to_arith_often, {1, 1000}},
    {"matmul, {0} x {0}", matmul_often, {1, 32}},
};

std::vector<Work> primitive_work() {
  std::vector<Work> all;
  for (const Primitive& primitive : primitives) {
    for (const std::size_t size : primitive.sizes) {
      const std::uint64_t repetitions = size < 100 ? 20 : 2;
      all.push_back(make_work(fmt::format(fmt::runtime(primitive.name), size), Topology(2), repetitions,
                              [often = primitive.often, size](Party& party, std::uint64_t repeated) {
                                return often(party, size, repeated);
                              }));
    }
  }
  return all;
}

constexpr std::uint64_t warm = 3;

struct Subject {
  std::string name;
  std::function<bool(std::optional<NodeId>)> includes;
};

std::vector<Subject> subjects_of(const Work& work) {
  std::vector<Subject> subjects{{"all roles", [](std::optional<NodeId>) { return true; }}};
  if (!work.by_role) return subjects;
  const auto one = [](std::optional<NodeId> counted) {
    return [counted](std::optional<NodeId> role) { return role == counted; };
  };
  subjects.push_back({"last party", one(work.topology.last_party())});
  subjects.push_back({"dealer", one(std::nullopt)});
  subjects.push_back({"actor", one(work.topology.outside_node())});
  return subjects;
}

void count(const Work& work, const Subject& subject) {
  const std::uint64_t begin = work.first_rounds + warm * work.rounds;
  const std::uint64_t end = begin + work.repetitions * work.rounds;
  SimulationOptions options;
  options.insecure_seed = 1;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t round, bool) {
    if (round >= begin && round < end && subject.includes(role)) CALLGRIND_TOGGLE_COLLECT;
  };
  const std::string name = fmt::format("{}, {}", work.name, subject.name);
  fmt::print("{}\n", name);
  CALLGRIND_ZERO_STATS;
  work.run(warm + work.repetitions + 1, std::move(options));
  const std::string trigger = fmt::format("{} {}", work.repetitions, name);
  CALLGRIND_DUMP_STATS_AT(trigger.c_str());
}

}  // namespace

void count_all() {
  if (!RUNNING_ON_VALGRIND) {
    throw std::runtime_error("instructions are counted under valgrind: scripts/check-instructions");
  }
  for (const std::vector<Work>& group : {bandit_work(), batch_work(), primitive_work()}) {
    for (const Work& work : group) {
      for (const Subject& subject : subjects_of(work)) count(work, subject);
    }
  }
}

}  // namespace sotto::instructions
