// Oblivious transfers on one core: the set-up, transfers of an extension at either side, the triples and products that
// are made of them. Items are transfers, triples or products; of triples and products a party plays both sides of both
// ways' transfers as it does beside its peer, which is the work of one core.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "core/transfer/extension_set_up.h"
#include "core/transfer/random_bits.h"
#include "core/transfer/ring_products.h"
#include "sotto/protocol/random/prg.h"

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

// Arguments: k, bits of the ring, bits that choose, words of a row.
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
