#include "bench/lab/hannun_paper/hannun.h"

#include "bench/lab/measure/primitives.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t table_arms = 100;
constexpr std::size_t table_parties = 2;
constexpr unsigned table_bits = 20;
constexpr std::uint64_t dealt_arms = 20'000;  // limit for arms times steps, so that the randomness fits into memory

template <class Work>
double microseconds(std::size_t repetitions, Work work) {
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < repetitions; ++i) work();
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  return time.count() / static_cast<double>(repetitions);
}

template <class Operation>
double plain_microseconds(Operation operation) {
  std::vector<double> x(table_arms), y(table_arms), out(table_arms);
  for (std::size_t i = 0; i < table_arms; ++i) {
    x[i] = 1 + static_cast<double>(i * 7919 % table_arms) / table_arms;
    y[i] = 1 + static_cast<double>(i) / table_arms;
  }
  volatile double seen = 0;
  constexpr std::size_t repetitions = 20'000;
  return microseconds(repetitions, [&] {
    operation(x, y, out);
    seen = out[table_arms / 2];
    x[0] = seen + 1;
  });
}

using Doubles = std::vector<double>;

double plain_addition_us() {
  return plain_microseconds([](const Doubles& x, const Doubles& y, Doubles& out) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + y[i];
  });
}

double plain_multiplication_us() {
  return plain_microseconds([](const Doubles& x, const Doubles& y, Doubles& out) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * y[i];
  });
}

double plain_reciprocal_us() {
  return plain_microseconds([](const Doubles& x, const Doubles&, Doubles& out) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = 1 / x[i];
  });
}

double plain_argmax_us() {
  return plain_microseconds([](const Doubles& x, const Doubles&, Doubles& out) {
    out[table_arms / 2] = static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin()) / table_arms;
  });
}

double share_addition_us() {
  const Shape shape{1, table_arms};
  const Arith y(shape, table_bits, Words(table_arms, 3));
  Arith sum(shape, table_bits, Words(table_arms, 1));
  constexpr std::size_t repetitions = 20'000;
  return microseconds(repetitions, [&] { sum += y; });
}

PrimitiveFigures measured(const char* name, const std::atomic<bool>& interrupted) {
  PrimitiveOptions options;
  options.interrupted = &interrupted;
  return measure_primitive({name, table_arms, table_parties}, options);
}

}  // namespace

std::vector<HannunStepTime> measure_hannun_steps(const HannunWorld& world, bool quick, const Runner& runner) {
  const std::vector<std::size_t> all_arms =
      quick ? std::vector<std::size_t>{10, 40} : std::vector<std::size_t>{10, 20, 40, 80, 160};
  const std::vector<std::size_t> all_parties =
      quick ? std::vector<std::size_t>{2, 3} : std::vector<std::size_t>{2, 3, 4, 6, 8};
  const std::vector<std::size_t> order = hannun_order(world.images().rows, 1);
  std::vector<HannunStepTime> times;
  for (const std::size_t arms : all_arms) {
    const std::uint64_t steps = std::min<std::uint64_t>(order.size(), dealt_arms / arms);
    PlaintextBandit twin(arms, hannun_features, .1, 1);
    const std::vector<std::uint64_t> marks{steps};
    const double twin_us =
        microseconds(
            1, [&] { (void)play_order(twin, world, order, 1, marks, [](std::size_t, const PlaintextBandit&) {}); }) /
        static_cast<double>(steps);
    for (const std::size_t parties : all_parties) {
      runner.report(fmt::format("time of a step, {}, {}", counted(arms, "arm"), counted(parties, "party")));
      HannunPrivateSettings settings;
      settings.steps = steps;
      settings.arms = arms;
      settings.parties = parties;
      settings.deal_ahead = true;
      const HannunPrivateRun run = run_hannun_private(world, order, 1, settings, runner.stop());
      times.push_back({parties, arms, steps, run.step_us, twin_us});
    }
  }
  return times;
}

std::vector<HannunOperation> measure_hannun_operations(const std::atomic<bool>& interrupted) {
  const PrimitiveFigures product = measured("multiply", interrupted);
  const PrimitiveFigures division = measured("mask_trunc", interrupted);
  const PrimitiveFigures reciprocal = measured("reciprocal", interrupted);
  const PrimitiveFigures argmax = measured("argmax", interrupted);
  return {{"addition", "0", 11, 0, share_addition_us(), plain_addition_us()},
          {"multiplication", "2", 380, product.rounds + division.rounds,
           1e6 * (product.online_seconds + division.online_seconds), plain_multiplication_us()},
          {"reciprocal", "30", 6000, reciprocal.rounds, 1e6 * reciprocal.online_seconds, plain_reciprocal_us()},
          {"argmax", "O(P + log2 A)", 34'000, argmax.rounds, 1e6 * argmax.online_seconds, plain_argmax_us()}};
}

std::uint64_t published_reciprocal_rounds() {
  const auto program = [](Party& party) -> Task<Unit> {
    const Words ones(table_arms, std::uint64_t{1} << table_bits);
    Masked divisor = Masked::constant(party, Shape{1, table_arms}, table_bits, ones);
    co_await protocols::published_reciprocal(party, std::move(divisor));
    co_return Unit{};
  };
  return protocols::plan(Topology(table_parties), program).total().rounds;
}

}  // namespace sotto::apps::lab
