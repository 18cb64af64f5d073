// Measures oblivious transfers, and triples and products made from transfers, on one core. Google Benchmark's "items"
// are transfers, triples or products here. For triples and products, the measured party takes part in transfers in both
// directions, like a party of a run.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "core/transfer/extension.h"
#include "core/transfer/extension_set_up.h"
#include "core/transfer/ring_products.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;
using Rows = std::vector<Bits128>;

constexpr std::size_t transfers = std::size_t{1} << 16;

struct Ends {
  ExtensionSender sender;
  ExtensionReceiver receiver;
};

Ends set_up(unsigned k) {
  const TransferLabel label;
  const SenderSetUp sender(label, "receiver", k);
  const ReceiverSetUp receiver(label, "sender", k);
  auto [end, sums] = receiver.finish(sender.message());
  return {sender.finish(receiver.message(), sums), std::move(end)};
}

unsigned k_of(const benchmark::State& state) { return static_cast<unsigned>(state.range(0)); }

Words random_words(std::size_t count) {
  Words words(count);
  Prg(Seed::insecure_from_number(1)).fill(words, 64);
  return words;
}

void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

void transfer_set_up(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(set_up(k_of(state)));
}

void correlated_at_receiver(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  const Words choices = random_words(transfers / 64);
  Rows rows(transfers);
  Bytes message(extension_bytes(k_of(state), transfers));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ends.receiver.correlated(choices, rows, message));
    benchmark::ClobberMemory();
  }
  count_items(state, transfers);
}

void correlated_at_sender(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  Rows rows(transfers);
  const Bytes message(extension_bytes(k_of(state), transfers));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ends.sender.correlated(message, rows));
    benchmark::ClobberMemory();
  }
  count_items(state, transfers);
}

void random_at_receiver(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  const Words choices = random_words(transfers / 64);
  Words chosen(transfers);
  Bytes message(extension_bytes(k_of(state), transfers));
  for (auto _ : state) {
    ends.receiver.random(choices, 1, chosen, message);
    benchmark::ClobberMemory();
  }
  count_items(state, transfers);
}

void random_at_sender(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  Words zero(transfers);
  Words one(transfers);
  const Bytes message(extension_bytes(k_of(state), transfers));
  for (auto _ : state) {
    ends.sender.random(message, 1, zero, one);
    benchmark::ClobberMemory();
  }
  count_items(state, transfers);
}

void bit_triples(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  constexpr std::size_t words = transfers / 64;
  const Words a = random_words(words);
  Words chosen(words);
  Words zero(words);
  Words one(words);
  Words c(words);
  Bytes message(extension_bytes(k_of(state), transfers));
  for (auto _ : state) {
    receive_bits(ends.receiver, a, chosen, message);
    send_bits(ends.sender, message, zero, one);
    for (std::size_t i = 0; i < words; ++i) c[i] = triple_share(a[i], chosen[i], zero[i], one[i]);
    benchmark::ClobberMemory();
  }
  count_items(state, transfers);
}

// Arguments: k, the ring's bits, the number of choice bits, and the number of words in a row.
void ring_products(benchmark::State& state) {
  Ends ends = set_up(k_of(state));
  const RingProducts products{4096, static_cast<std::size_t>(state.range(3)), static_cast<unsigned>(state.range(1)),
                              static_cast<unsigned>(state.range(2))};
  const std::size_t lanes = products.count * products.width;
  const Words x = random_words(lanes);
  const Words y = random_words(products.count);
  Words shares(lanes);
  Words others(lanes);
  Bytes request(product_request_bytes(k_of(state), products));
  Bytes reply(product_reply_bytes(products));
  for (auto _ : state) {
    request_products(ends.receiver, products, y, shares, request);
    reply_products(ends.sender, products, x, request, others, reply);
    finish_products(products, y, reply, shares);
    benchmark::ClobberMemory();
  }
  count_items(state, lanes);
}

BENCHMARK(transfer_set_up)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(correlated_at_receiver)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(correlated_at_sender)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(random_at_receiver)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(random_at_sender)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(bit_triples)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(ring_products)
    ->ArgNames({"k", "bits", "choice_bits", "width"})
    ->Args({2, 64, 64, 1})
    ->Args({4, 64, 64, 1})
    ->Args({8, 64, 64, 1})
    ->Args({4, 46, 46, 1})
    ->Args({4, 64, 64, 10})
    ->Args({4, 64, 1, 1})
    ->Args({4, 64, 1, 210});

}  // namespace
}  // namespace sotto

namespace sotto::apps {

// Measures runs of the bandit in one process, including preprocessing: three parties with and without a dealer, and two
// parties with transfers or with a helper.

using namespace sotto::apps::bandit;
namespace {

class RandomSite final : public Contexts, public Arms, public Rewards {
 public:
  explicit RandomSite(const BanditPlan& plan) : plan_(plan), random_(1) {}
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override {
    const double largest = 1 / std::sqrt(static_cast<double>(plan_.parameters.features()));
    std::uniform_real_distribution<double> entry(-largest, largest);
    for (std::uint64_t& word : out) word = encode(entry(random_), plan_.context_bits);
  }
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t) override { return random_() & 1; }

 private:
  const BanditPlan& plan_;
  std::mt19937_64 random_;
};

// Arguments: steps, events in a batch, RandomnessBy and StepUpdate.
void run_bandit(benchmark::State& state) {
  const auto steps = static_cast<std::uint64_t>(state.range(0));
  BanditParameters parameters{.columns = {7, 7, 6}, .arms = 10, .steps = steps};
  parameters.preprocessing = static_cast<RandomnessBy>(state.range(2));
  const bool of_two = parameters.preprocessing == RandomnessBy::ot || parameters.preprocessing == RandomnessBy::helper;
  if (of_two) parameters.columns = {10, 10};
  parameters.batch = static_cast<std::size_t>(state.range(1));
  parameters.update = static_cast<StepUpdate>(state.range(3));
  parameters.exploration.threshold = std::uint64_t{1} << 60;
  const BanditPlan plan = plan_bandit(parameters);
  RandomSite world(plan);
  BanditSite site(world);
  const auto bandit = [&](Party& party) { return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "bench"}); };
  std::array<std::uint64_t, max_nodes> sent{};
  for (auto _ : state) sent = protocols::simulate(plan.parameters.topology(), bandit).sent;
  const auto all = static_cast<double>(steps) * static_cast<double>(state.iterations());
  state.counters["seconds_a_step"] = benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["steps_a_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
  state.counters["bytes_a_party_and_step"] = static_cast<double>(sent[0]) / static_cast<double>(steps);
}
void in_all_modes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"steps", "batch", "by", "update"});
  for (const auto& [by, name] : names_of(RandomnessBy{})) {
    const bool by_transfers = by == RandomnessBy::ot;
    for (const auto& [update, word] : names_of(StepUpdate{})) {
      bench->Args({by_transfers ? 40 : 400, 1, static_cast<int>(by), static_cast<int>(update)});
    }
    bench->Args({by_transfers ? 512 : 8192, 256, static_cast<int>(by), 0});
  }
}
BENCHMARK(run_bandit)->Apply(in_all_modes)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace sotto::apps
